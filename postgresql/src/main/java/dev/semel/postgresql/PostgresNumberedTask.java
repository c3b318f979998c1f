package dev.semel.postgresql;

import dev.semel.postgresql.PostgresNames.Lane;
import dev.semel.store.NewTask;
import dev.semel.task.TaskId;
import org.jspecify.annotations.Nullable;

/**
 * A submission with the numbers that stand for its names in the tables.
 *
 * @param key null without a key
 */
record PostgresNumberedTask(
        NewTask task, Lane lane, @Nullable PostgresRecordKey key) {

    TaskId id() {
        return task.id();
    }

    /** What the submission says of its key. */
    NewTask.KeyRequest request() {
        NewTask.KeyRequest request = task.key();
        if (request == null) {
            throw new IllegalStateException("Task " + task.id() + " has no key");
        }
        return request;
    }
}
