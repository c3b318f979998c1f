package dev.semel.task;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Thrown when the key has a completed task and the policy rejects a second submission. */
public final class TaskAlreadyCompleted extends SemelException {

    private static final long serialVersionUID = 1L;

    private final transient TaskId existingTaskId;
    private final transient Instant completedAt;
    private final transient @Nullable String result;

    /**
     * Creates the exception.
     *
     * @param message what happened
     * @param existingTaskId the completed task
     * @param completedAt when it completed
     * @param result its result in JSON, or null if there is none or it is no longer stored
     */
    public TaskAlreadyCompleted(String message, TaskId existingTaskId, Instant completedAt, @Nullable String result) {
        super(message);
        this.existingTaskId = existingTaskId;
        this.completedAt = completedAt;
        this.result = result;
    }

    /** {@return the id of the completed task} */
    public TaskId existingTaskId() {
        return existingTaskId;
    }

    /**
     * Returns when the task completed.
     *
     * @return the time by the store's clock
     */
    public Instant completedAt() {
        return completedAt;
    }

    /**
     * Returns the stored result.
     *
     * @return JSON; empty if there is none or it is no longer stored
     */
    public Optional<String> result() {
        return Optional.ofNullable(result);
    }
}
