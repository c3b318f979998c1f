package dev.semel.postgresql.transaction;

import dev.semel.store.NewTask;
import dev.semel.task.TaskId;
import org.jspecify.annotations.Nullable;

/**
 * A submission with the numbers that stand for its names in the tables.
 *
 * @param key null without a key
 */
public record NumberedTask(
        NewTask task, Lane lane, @Nullable RecordKey key) {

    public TaskId id() {
        return task.id();
    }

    /** What the submission says of its key. */
    public NewTask.KeyRequest request() {
        NewTask.KeyRequest request = task.key();
        if (request == null) {
            throw new IllegalStateException("Task " + task.id() + " has no key");
        }
        return request;
    }
}
