package dev.semel;

import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a submission: the task that now stands for it, new or not.
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
     * The task.
     *
     * @return its id: the same for every submission of one key
     */
    public TaskId taskId() {
        return handle.taskId();
    }

    /**
     * Tells whether this submission made the task, also if it was sent before and its first answer was lost.
     *
     * @return false for a duplicate
     */
    public boolean created() {
        return created;
    }

    /**
     * When the original was created.
     *
     * @return the time by the store's clock; empty unless this is a duplicate
     */
    public Optional<Instant> deduplicatedFrom() {
        return created ? Optional.empty() : Optional.of(createdAt);
    }

    /**
     * When the task was created.
     *
     * @return the time by the store's clock
     */
    public Instant createdAt() {
        return createdAt;
    }

    /**
     * How many tasks were made under this identity, this one included.
     *
     * @return 1, 2, 3 …
     */
    public int run() {
        return run;
    }

    /**
     * The state of the task when the submission was answered.
     *
     * @return its state
     */
    public TaskState state() {
        return state;
    }

    /**
     * Tells whether the input of the existing task is another one, where the policy only warns of that.
     *
     * @return whether it differs
     */
    public boolean inputDiffers() {
        return inputDiffers;
    }

    /**
     * The task, to ask for its result from elsewhere.
     *
     * @return its handle
     */
    public TaskHandle<O> handle() {
        return handle;
    }

    /**
     * Waits for the task to end and gives its result: the same stored value for every submitter.
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
}
