package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.TaskStore;
import dev.semel.task.Lease;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** Brings tasks into states that the command line alone reaches only slowly. */
final class Life {

    private static final Duration LEASE = Duration.ofMinutes(10);

    private Life() {}

    /** Claims all due tasks of a queue, like a worker that then stops sending heartbeats. */
    static List<Lease> claim(Cli cli, String queue) {
        try (TaskStore store = SqliteTaskStore.open(cli.file())) {
            return claim(store, queue);
        }
    }

    private static List<Lease> claim(TaskStore store, String queue) {
        return store
                .claim(new ClaimRequest(System.nanoTime(), false, Set.of(queue), null, 100, 100, 100, LEASE, "test"))
                .tasks()
                .stream()
                .map(Claimed::lease)
                .toList();
    }

    /** Ends all due tasks of a queue. */
    static void end(Cli cli, String queue, Function<Lease, ? extends Settlement> ending) {
        try (TaskStore store = SqliteTaskStore.open(cli.file())) {
            List<? extends Settlement> moves =
                    claim(store, queue).stream().map(ending).toList();
            assertThat(moves).isNotEmpty();
            assertThat(store.settle(moves)).containsOnly(Settled.APPLIED);
        }
    }
}
