package dev.semel.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Claims;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.store.Settlement;
import dev.semel.store.TaskOptions;
import dev.semel.store.TaskStore;
import dev.semel.storetests.Tasks;
import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.Json;
import dev.semel.task.ReusePolicy;
import dev.semel.task.TaskId;
import dev.semel.testkit.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches that are larger than one statement, in which new tasks, duplicates and repeated sends lie side by side. */
@Timeout(120)
class SqliteSubmissionsTest {

    private static final int ROUNDS = 60;
    private static final int MOST = 170;

    private static final List<ReusePolicy> POLICIES = List.of(
            ReusePolicy.allowFailedOnly(),
            ReusePolicy.never(),
            ReusePolicy.afterFinish(),
            ReusePolicy.of(ReusePolicy.WhileOpen.REPLACE, ReusePolicy.AfterEnd.RERUN, ReusePolicy.AfterEnd.RERUN));

    @TempDir
    Path directory;

    private final ManualClock clock = new ManualClock();
    private final List<NewTask> sent = new ArrayList<>();
    private SplittableRandom random = new SplittableRandom();
    private int keys;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void largeBatchesAreAnsweredAsByTheStoreInMemory(long seed) {
        random = new SplittableRandom(seed);
        try (TaskStore model = new InMemoryTaskStore(clock);
                TaskStore store = SqliteTaskStore.open(
                        directory.resolve("semel.db"),
                        SqliteSettings.standard().withClock(clock).withElapsed(clock))) {
            for (int round = 0; round < ROUNDS; round++) {
                List<NewTask> batch = batch();
                assertThat(store.submit(batch))
                        .as("seed %d, round %d", seed, round)
                        .isEqualTo(model.submit(batch));
                // The order in which they are claimed is that in which they were created.
                int limit = 1 + random.nextInt(MOST);
                Claims claimed = store.claim(Tasks.request(limit));
                assertThat(Tasks.idsOf(claimed))
                        .as("seed %d, round %d", seed, round)
                        .isEqualTo(Tasks.idsOf(model.claim(Tasks.request(limit))));
                settleAndOperate(store, model, claimed, "seed %d, round %d".formatted(seed, round));
                clock.advance(Duration.ofMillis(random.nextInt(3_000)));
            }
            List<TaskId> ids = sent.stream().map(NewTask::id).toList();
            assertThat(store.find(ids)).containsExactlyInAnyOrderEntriesOf(model.find(ids));
        }
    }

    /** Some batches are all new, some meet what is there, and some meet themselves. */
    private List<NewTask> batch() {
        int size = 1 + random.nextInt(MOST);
        int shareOfNew = List.of(100, 100, 95, 50, 0).get(random.nextInt(5));
        boolean keyed = random.nextInt(4) > 0;
        List<NewTask> batch = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            boolean isNew = sent.isEmpty() || random.nextInt(100) < shareOfNew;
            if (!isNew && random.nextInt(4) == 0) {
                batch.add(sent.get(random.nextInt(sent.size())));
                continue;
            }
            boolean withKey = random.nextInt(50) == 0 ? !keyed : keyed;
            String key = "key-" + (isNew || keys == 0 ? keys++ : random.nextInt(keys));
            NewTask task = task(withKey ? key : null);
            sent.add(task);
            batch.add(task);
        }
        return batch;
    }

    private NewTask task(String key) {
        String input = random.nextInt(20) == 0 ? "{\"other\":true}" : "{}";
        return new NewTask(
                TaskId.next(clock, random),
                Identity.DEFAULT_TENANT,
                Tasks.QUEUE,
                Tasks.TYPE,
                input,
                NewTask.Start.now(),
                TaskOptions.NONE,
                key == null
                        ? null
                        : new NewTask.KeyRequest(
                                Tasks.identity(key),
                                InputHash.of(Json.parse(input), List.of()),
                                Duration.ofSeconds(20),
                                POLICIES.get(random.nextInt(POLICIES.size()))));
    }

    /** Ends some, leaves some running, and frees keys whose tasks are sent again later. */
    private void settleAndOperate(TaskStore store, TaskStore model, Claims claims, String when) {
        List<Settlement> settlements = new ArrayList<>();
        List<Operation> operations = new ArrayList<>();
        for (Claims.Claimed claimed : claims.tasks()) {
            int choice = random.nextInt(10);
            if (choice < 6) {
                settlements.add(new Settlement.Complete(claimed.lease(), "{\"done\":true}"));
            }
            Identity identity = claimed.task().identity();
            if (choice < 2 && identity != null) {
                operations.add(new Operation.ReleaseKey(identity, claimed.task().id()));
            }
            if (choice == 7) {
                operations.add(new Operation.Cancel(claimed.task().id()));
            }
        }
        assertThat(store.settle(settlements)).as(when).isEqualTo(model.settle(settlements));
        assertThat(store.operate(operations)).as(when).isEqualTo(model.operate(operations));
    }
}
