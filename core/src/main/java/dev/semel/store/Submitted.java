package dev.semel.store;

import dev.semel.task.InputHash;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What became of one submission. */
public sealed interface Submitted {

    /**
     * A task was made; also the answer to every repeated send of the same task id.
     *
     * @param taskId the id that the submission carried
     * @param run how many tasks were made under this identity, this one included; 1 without a key
     * @param state its state now: at first pending, or waiting behind a replaced task that still runs; further on for a
     *     repeated send
     * @param createdAt when it was made, by the store's clock
     */
    record Created(TaskId taskId, int run, TaskState state, Instant createdAt) implements Submitted {}

    /**
     * The identity has a task already, and the policy says to return it.
     *
     * @param existing the task
     * @param inputDiffers whether its input is another one and the policy only warns
     */
    record Returned(ExistingTask existing, boolean inputDiffers) implements Submitted {}

    /**
     * The identity has a task already, and the policy says to refuse the submission.
     *
     * @param existing the task
     * @param inputDiffers whether its input is another one and the policy only warns
     */
    record Rejected(ExistingTask existing, boolean inputDiffers) implements Submitted {}

    /**
     * The identity was used with another input or type; nothing changed.
     *
     * @param existing the task that has the identity
     */
    record Conflicted(ExistingTask existing) implements Submitted {}

    /**
     * Another transaction that is still open holds the identity, so nothing was decided; send this item again. Only stores
     * that others can lock answer so, and never for longer than such a transaction lasts.
     */
    record Busy() implements Submitted {}

    /**
     * The task that an identity has already.
     *
     * @param taskId its id
     * @param type its task type
     * @param run its run
     * @param state its state, remembered by the record if the task's data has gone
     * @param inputHash the hash of its input
     * @param createdAt when it was made
     * @param finishedAt when it ended, or null while it is open
     * @param dataGone whether only the record is left, and input and result are no longer stored
     * @param input its input in JSON; given with a conflict only, and null if it is no longer stored
     * @param result its result in JSON, or null if there is none or it is no longer stored
     */
    record ExistingTask(
            TaskId taskId,
            String type,
            int run,
            TaskState state,
            InputHash inputHash,
            Instant createdAt,
            @Nullable Instant finishedAt,
            boolean dataGone,
            @Nullable String input,
            @Nullable String result) {}
}
