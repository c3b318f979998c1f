package dev.semel.postgresql.submit;

import dev.semel.postgresql.table.TaskEnds.Ended;
import dev.semel.postgresql.table.TaskReader;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.DeadLetter;
import dev.semel.store.QueueSettings;
import dev.semel.store.Task;
import java.sql.SQLException;
import java.util.List;

/** Dead letters: submits a task to the dead-letter queue of each failed task's queue, in the same transaction. */
public final class DeadLetters {

    private DeadLetters() {}

    /** Submits the dead letters of ended tasks. */
    public static void submit(Transaction tx, List<Ended> all) throws SQLException {
        if (tx.queues().isEmpty()) {
            return;
        }
        for (Ended end : all) {
            QueueSettings settings = tx.queues().of(tx.lane(end.lane()).queue());
            String queue = end.consequences(settings).deadLetterQueue();
            if (queue != null) {
                Task dead = TaskReader.find(tx.session(), tx.names(), List.of(end.id()))
                        .getFirst();
                new LockedSubmit(tx.unordered(), RetryNotes.expectingRepeats())
                        .submit(List.of(tx.numbered(DeadLetter.of(dead, queue, tx.nowInstant()))));
            }
        }
    }
}
