package dev.semel.store;

import dev.semel.task.Identity;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A task as it is stored.
 *
 * @param id its id
 * @param tenant its tenant
 * @param queue its queue
 * @param type the name of its task type
 * @param input its input in JSON; null once its data was deleted and only the bare task is left
 * @param options what it does differently from its type
 * @param identity its identity, or null without a key
 * @param run the number of tasks created under its identity, including this one; 1 without a key
 * @param series the tasks of its identity since the key was last free, named by the id of the first; its own id if it is that.
 *     No two tasks have the same series and run
 * @param lineage the id of the first task that this one continues; its own id if it continues none
 * @param createdAt when it was created
 * @param progress its state and attempts
 */
public record Task(
        TaskId id,
        String tenant,
        String queue,
        String type,
        @Nullable String input,
        TaskOptions options,
        @Nullable Identity identity,
        int run,
        TaskId series,
        TaskId lineage,
        Instant createdAt,
        Progress progress) {

    /**
     * The state of a task and its attempts.
     *
     * @param state its state
     * @param attempt the number of its newest attempt, or of its end by a time limit between attempts; 0 if it was never claimed
     * @param failures how many attempts have failed, against its budget
     * @param vanished how many attempts ended without a report from their worker
     * @param dueAt from when on it can be claimed: its start, its retry, or the end of its lease; for a waiting task, from
     *     when on it could be claimed if it did not wait; null once it has ended
     * @param cancelRequested whether its cancellation or replacement was requested while it was open; stays true after its
     *     end
     * @param finishedAt when it ended, or null while it is open
     * @param result its result in JSON, or null
     * @param lastError the error of the newest attempt that had one, or null
     */
    public record Progress(
            TaskState state,
            int attempt,
            int failures,
            int vanished,
            @Nullable Instant dueAt,
            boolean cancelRequested,
            @Nullable Instant finishedAt,
            @Nullable String result,
            @Nullable String lastError) {

        /** {@return the progress without the result and the error} */
        @Override
        public String toString() {
            return "Progress[state=" + state.word() + ", attempt=" + attempt + ", failures=" + failures + ", vanished="
                    + vanished + ", dueAt=" + dueAt + ", cancelRequested=" + cancelRequested + ", finishedAt="
                    + finishedAt + "]";
        }
    }

    /**
     * Returns the state of this task.
     *
     * @return its state
     */
    public TaskState state() {
        return progress.state();
    }

    /**
     * Returns whether its input and result are no longer stored.
     *
     * @return true only after its end
     */
    public boolean dataGone() {
        return input == null;
    }

    /** {@return what identifies the task and how far it has come, without its input and result} */
    @Override
    public String toString() {
        return "Task[id=" + id + ", tenant=" + tenant + ", queue=" + queue + ", type=" + type + ", identity=" + identity
                + ", run=" + run + ", series=" + series + ", lineage=" + lineage + ", createdAt=" + createdAt + ", "
                + progress + "]";
    }
}
