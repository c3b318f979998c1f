package dev.semel.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.NewTask;
import dev.semel.store.Settlement;
import dev.semel.store.SweepRequest;
import dev.semel.store.Swept;
import dev.semel.storetests.Tasks;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sweeping more than one call walks past. */
@Timeout(120)
class SqliteSweepsTest {

    private static final int KEPT = 60_000;

    @TempDir
    Path directory;

    @Test
    void aRoundEndsHoweverManyTasksAndRecordsAreKept() {
        try (SqliteTaskStore store = SqliteTaskStore.open(directory.resolve("semel.db"))) {
            List<NewTask> batch = new ArrayList<>();
            for (int i = 0; i < KEPT; i++) {
                batch.add(Tasks.keyed("key-" + i, "{}"));
                if (batch.size() == 1_000) {
                    store.submit(batch);
                    batch.clear();
                }
            }
            List<Settlement> moves = new ArrayList<>();
            store.claim(Tasks.request(500))
                    .tasks()
                    .forEach(claimed -> moves.add(new Settlement.Complete(claimed.lease(), null)));
            store.settle(moves);
            // Nothing is kept that has ended, so no walk ends early because all that follows is too young.
            SweepRequest all = new SweepRequest(Duration.ZERO, Map.of(), Duration.ZERO, 100);
            int gone = 0;
            int calls = 0;
            for (boolean more = true; more; calls++) {
                assertThat(calls).isLessThan(20);
                Swept swept = store.sweep(all);
                gone += swept.tasks();
                more = swept.more();
            }
            assertThat(gone).isEqualTo(500);
            assertThat(store.sweep(all)).isEqualTo(new Swept(0, 0, true));
        }
    }
}
