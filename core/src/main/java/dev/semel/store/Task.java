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
 * @param input its input in JSON; null once its data has gone and only the bare task is left
 * @param options what it does differently from its type
 * @param identity what its key makes it the same as, or null without a key
 * @param run how many tasks were made under its identity, this one included; 1 without a key
 * @param series the tasks of its identity since the key was last free, named by the id of the first; its own id if it is that.
 *     No two tasks have the same series and run
 * @param lineage the id of the first task that this one continues; its own id if it continues none
 * @param createdAt when it was made
 * @param progress how far it has come
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
     * How far a task has come.
     *
     * @param state its state
     * @param attempt the number of its newest attempt; 0 if it was never claimed
     * @param failures how many attempts have failed, against its budget
     * @param vanished how many attempts ended with no word of their worker
     * @param dueAt from when on it can be claimed: its start, its retry, or the end of its lease; for a waiting one, from
     *     when on it could be if it did not wait; null once it has ended
     * @param cancelRequested whether somebody wanted it to be cancelled or replaced while it was open; stays so after its
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
            @Nullable String lastError) {}

    /**
     * The state of this task.
     *
     * @return its state
     */
    public TaskState state() {
        return progress.state();
    }

    /**
     * Tells whether its input and result are no longer stored.
     *
     * @return true only after its end
     */
    public boolean dataGone() {
        return input == null;
    }
}
