package dev.semel.postgresql;

import dev.semel.postgresql.PostgresEnds.Ended;
import dev.semel.store.DeadLetter;
import dev.semel.store.QueueSettings;
import dev.semel.store.Task;
import java.sql.SQLException;
import java.util.List;

/** Dead letters: submits a task to the dead-letter queue of each failed task's queue, in the same transaction. */
final class PostgresDeadLetters {

    private PostgresDeadLetters() {}

    /** Submits the dead letters of ended tasks. */
    static void submit(PostgresTransaction tx, List<Ended> all) throws SQLException {
        if (tx.queues().isEmpty()) {
            return;
        }
        for (Ended end : all) {
            QueueSettings settings = tx.queues().of(tx.lane(end.lane()).queue());
            String queue = end.consequences(settings).deadLetterQueue();
            if (queue != null) {
                Task dead = PostgresTasks.find(tx.session(), tx.names(), List.of(end.id()))
                        .getFirst();
                new PostgresLockedSubmit(tx.unordered(), PostgresRetryNotes.expectingRepeats())
                        .submit(List.of(tx.numbered(DeadLetter.of(dead, queue, tx.nowInstant()))));
            }
        }
    }
}
