package dev.semel.task;

import java.time.Instant;

/** The key has a task that ended without success, and the policy says to refuse another rather than to run it again. */
public final class TaskAlreadyFinished extends SemelException {

    private static final long serialVersionUID = 1L;

    private final transient TaskId existingTaskId;
    private final transient TaskState status;
    private final transient Instant finishedAt;

    /**
     * Makes the exception.
     *
     * @param message what happened
     * @param existingTaskId the ended task
     * @param status how it ended
     * @param finishedAt when it ended
     */
    public TaskAlreadyFinished(String message, TaskId existingTaskId, TaskState status, Instant finishedAt) {
        super(message);
        this.existingTaskId = existingTaskId;
        this.status = status;
        this.finishedAt = finishedAt;
    }

    /**
     * The ended task.
     *
     * @return its id
     */
    public TaskId existingTaskId() {
        return existingTaskId;
    }

    /**
     * How the task ended.
     *
     * @return failed, cancelled or timed out
     */
    public TaskState status() {
        return status;
    }

    /**
     * When the task ended.
     *
     * @return the time by the store's clock
     */
    public Instant finishedAt() {
        return finishedAt;
    }
}
