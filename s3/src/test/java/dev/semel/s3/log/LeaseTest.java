package dev.semel.s3.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Semel;
import dev.semel.s3.S3TaskStore;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.Settlement;
import dev.semel.storetests.Tasks;
import dev.semel.task.InvalidInput;
import dev.semel.task.TaskType;
import dev.semel.testkit.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Leases that could expire while their extension waits for its entry are refused. */
@Timeout(60)
class LeaseTest {

    private static final Duration SHORTEST = Duration.ofSeconds(10);

    @TempDir
    Path directory;

    private final MemoryService service = new MemoryService(new ManualClock());

    private S3TaskStore open() {
        return S3TaskStore.open(
                service.connect(),
                "log",
                LogSettings.standard().withDirectory(directory).withElapsed(service::now));
    }

    private static ClaimRequest claim(long number, Duration lease) {
        return new ClaimRequest(number, false, Set.of(Tasks.QUEUE), null, 1, 1, lease, "worker");
    }

    @Test
    void aClaimAndAnExtensionNeedTenSeconds() {
        try (S3TaskStore store = open()) {
            Tasks.submit(store, Tasks.plain());
            assertThat(store.shortestLease()).isEqualTo(SHORTEST);
            assertThatThrownBy(() -> store.claim(claim(1, SHORTEST.minusMillis(1))))
                    .isInstanceOf(InvalidInput.class)
                    .hasMessageContaining("at least 10 s");
            Claims claims = store.claim(claim(2, SHORTEST));
            assertThat(claims.tasks()).hasSize(1);
            Settlement brief = new Settlement.Extend(claims.tasks().getFirst().lease(), Duration.ofSeconds(9));
            assertThatThrownBy(() -> store.settle(List.of(brief))).isInstanceOf(InvalidInput.class);
        }
    }

    @Test
    void aWorkerWithAShorterLeaseDoesNotStart() {
        try (S3TaskStore store = open();
                Semel semel = Semel.on(store).build()) {
            assertThatThrownBy(() -> semel.worker(Tasks.QUEUE)
                            .lease(Duration.ofSeconds(5))
                            .handle(TaskType.of(Tasks.TYPE, String.class, String.class), (context, input) -> input)
                            .start())
                    .isInstanceOf(InvalidInput.class)
                    .hasMessageContaining("at least 10 s")
                    .hasMessageContaining("\"5 s\"");
        }
    }
}
