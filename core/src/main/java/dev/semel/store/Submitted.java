package dev.semel.store;

import dev.semel.task.InputHash;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The answer to one {@link SubmitRequest}. */
public sealed interface Submitted {

    /**
     * A task was created; also the answer to every repeated send of the same task id.
     *
     * @param taskId the id that the submission carried
     * @param run the number of tasks created under this identity, including this one; 1 without a key
     * @param state its state: pending, or waiting for a replaced task that still runs; for a repeated send possibly a later state
     * @param createdAt when it was created, by the store's clock
     */
    record Created(TaskId taskId, int run, TaskState state, Instant createdAt) implements Submitted {}

    /**
     * The identity has a task already, and the policy returns it.
     *
     * @param existing the task
     * @param inputDiffers whether its input differs, which the policy only warns about
     */
    record Returned(ExistingTask existing, boolean inputDiffers) implements Submitted {}

    /**
     * The identity has a task already, and the policy rejects the submission.
     *
     * @param existing the task
     * @param inputDiffers whether its input differs, which the policy only warns about
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
     * with joined transactions give this answer, and only while such a transaction is open.
     */
    record Busy() implements Submitted {}

    /** The answer to the cancellation of a task. */
    enum Cancellation implements Submitted {
        /** The task is cancelled, now or by an earlier request. */
        CANCELLED,
        /** The task runs, and its worker is asked to cancel it. */
        REQUESTED,
        /** The task had ended in another way before. */
        TOO_LATE,
        /** There is no such task. */
        NOT_FOUND;

        static Cancellation of(Operated operated) {
            return switch (operated) {
                case APPLIED -> CANCELLED;
                case CANCEL_REQUESTED -> REQUESTED;
                case STALE -> TOO_LATE;
                case NOT_FOUND -> NOT_FOUND;
                case SUPERSEDED, HELD, CIRCLE ->
                    throw new IllegalStateException("A cancellation is not answered with " + operated);
            };
        }
    }

    /** The answer to a signal. */
    enum Signalled implements Submitted {
        /** The entry is in the inbox, now or by an earlier send. */
        ACCEPTED,
        /** The workflow has ended. */
        ENDED,
        /** There is no such task. */
        NOT_FOUND,
        /** The history of the workflow has reached its limit. */
        FULL
    }

    /**
     * The task that an identity has already.
     *
     * @param taskId its id
     * @param type its task type
     * @param run its run
     * @param state its state, remembered by the record if the task's data was deleted
     * @param inputHash the hash of its input
     * @param createdAt when it was created
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
            @Nullable String result) {

        /** {@return what identifies the task, without its input and result} */
        @Override
        public String toString() {
            return "ExistingTask[taskId=" + taskId + ", type=" + type + ", run=" + run + ", state=" + state.word()
                    + ", createdAt=" + createdAt + ", finishedAt=" + finishedAt + "]";
        }
    }
}
