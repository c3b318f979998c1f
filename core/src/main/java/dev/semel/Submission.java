package dev.semel;

import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a submission: the task that was created or returned for it.
 *
 * @param <O> the class of the task's output
 */
public final class Submission<O extends @Nullable Object> {

    private final TaskHandle<O> handle;
    private final boolean created;
    private final int run;
    private final TaskState state;
    private final Instant createdAt;
    private final boolean inputDiffers;
    private final boolean provisional;

    Submission(
            TaskHandle<O> handle,
            boolean created,
            int run,
            TaskState state,
            Instant createdAt,
            boolean inputDiffers,
            boolean provisional) {
        this.handle = handle;
        this.created = created;
        this.run = run;
        this.state = state;
        this.createdAt = createdAt;
        this.inputDiffers = inputDiffers;
        this.provisional = provisional;
    }

    /**
     * Returns the id of the task.
     *
     * @return the id, which is the same for every submission of one key
     */
    public TaskId taskId() {
        return handle.taskId();
    }

    /**
     * Returns whether this submission created the task, including a repeated send whose first answer was lost.
     *
     * @return false for a duplicate
     */
    public boolean created() {
        return created;
    }

    /**
     * Returns when the original task of a duplicate was created.
     *
     * @return the time by the store's clock; empty unless this is a duplicate
     */
    public Optional<Instant> deduplicatedFrom() {
        return created ? Optional.empty() : Optional.of(createdAt);
    }

    /**
     * Returns when the task was created.
     *
     * @return the time by the store's clock
     */
    public Instant createdAt() {
        return createdAt;
    }

    /**
     * Returns the run of the task: how many tasks were created under this identity, including this one.
     *
     * @return 1, 2, 3 …
     */
    public int run() {
        return run;
    }

    /** {@return the state of the task when the submission was answered} */
    public TaskState state() {
        return state;
    }

    /**
     * Returns whether the input of the existing task differs and the policy only warns.
     *
     * @return whether it differs
     */
    public boolean inputDiffers() {
        return inputDiffers;
    }

    /** {@return the handle of the task, through which other code can wait for its result} */
    public TaskHandle<O> handle() {
        return handle;
    }

    /**
     * Waits for the task to end and returns its result, which is the same stored value for every submitter.
     *
     * @param timeout how long to wait
     * @return the result; null if the handler returned none
     * @throws dev.semel.task.ResultNotReady if the task has not ended in time
     * @throws dev.semel.task.TaskUnsuccessful if it ended without success
     * @throws dev.semel.task.ResultGone if its data is no longer stored
     * @throws dev.semel.task.InvalidInput if the submission is part of a transaction that has not committed
     */
    public O result(Duration timeout) {
        return handle.result(timeout, provisional);
    }

    /** {@return the task and what became of the submission; no input and no result} */
    @Override
    public String toString() {
        return "Submission[task=" + taskId() + ", created=" + created + ", run=" + run + ", state=" + state.word()
                + "]";
    }
}
