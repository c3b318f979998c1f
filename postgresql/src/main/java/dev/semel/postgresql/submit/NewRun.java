package dev.semel.postgresql.submit;

import dev.semel.postgresql.transaction.NumberedTask;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import org.jspecify.annotations.Nullable;

/**
 * A submission that is to be stored, with what the submission itself does not say.
 *
 * @param series null if the task begins a series
 * @param lineage null if the task continues none
 * @param after the task that this one waits for; null if it is pending at once
 */
record NewRun(
        NumberedTask submission,
        int run,
        @Nullable TaskId series,
        @Nullable TaskId lineage,
        @Nullable TaskId after) {

    /** The first run under a free key, or a task without a key. */
    static NewRun first(NumberedTask submission) {
        return new NewRun(submission, 1, null, null, null);
    }

    TaskId id() {
        return submission.id();
    }

    TaskState state() {
        return after == null ? TaskState.PENDING : TaskState.WAITING;
    }
}
