package dev.semel.sqlite.submit;

import dev.semel.sqlite.table.TaskMapper;
import dev.semel.sqlite.transaction.Transaction;
import dev.semel.store.Consequences;
import dev.semel.store.DeadLetter;
import dev.semel.store.Task;
import dev.semel.task.TaskId;
import java.sql.SQLException;
import java.util.List;

/** Dead letters as tasks of the queue that takes them. */
public final class DeadLetters {

    private DeadLetters() {}

    /** Submits the dead letter of a task, if the task's queue has a dead-letter queue. */
    public static void submit(Transaction tx, Consequences then, TaskId id) throws SQLException {
        String queue = then.deadLetterQueue();
        if (queue != null) {
            Task dead = TaskMapper.find(tx, id);
            new Submissions(tx).submit(List.of(DeadLetter.of(dead, queue, tx.nowInstant())));
        }
    }
}
