package dev.semel.task;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The key has a completed task, and the policy says to refuse a second submission rather than to return it. */
public final class TaskAlreadyCompleted extends SemelException {

    private static final long serialVersionUID = 1L;

    private final transient TaskId existingTaskId;
    private final transient Instant completedAt;
    private final transient @Nullable String result;

    /**
     * Makes the exception.
     *
     * @param message what happened
     * @param existingTaskId the completed task
     * @param completedAt when it completed
     * @param result its result in JSON, or null where there is none or it is no longer stored
     */
    public TaskAlreadyCompleted(String message, TaskId existingTaskId, Instant completedAt, @Nullable String result) {
        super(message);
        this.existingTaskId = existingTaskId;
        this.completedAt = completedAt;
        this.result = result;
    }

    /**
     * The completed task.
     *
     * @return its id
     */
    public TaskId existingTaskId() {
        return existingTaskId;
    }

    /**
     * When the task completed.
     *
     * @return the time by the store's clock
     */
    public Instant completedAt() {
        return completedAt;
    }

    /**
     * The stored result.
     *
     * @return JSON; empty where there is none or it is no longer stored
     */
    public Optional<String> result() {
        return Optional.ofNullable(result);
    }
}
