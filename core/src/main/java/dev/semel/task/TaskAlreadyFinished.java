package dev.semel.task;

import java.time.Instant;

/** Thrown when the key has a task that ended without success and the policy rejects a rerun. */
public final class TaskAlreadyFinished extends SemelException {

    private static final long serialVersionUID = 1L;

    private final transient TaskId existingTaskId;
    private final transient TaskState status;
    private final transient Instant finishedAt;

    /**
     * Creates the exception.
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

    /** {@return the id of the ended task} */
    public TaskId existingTaskId() {
        return existingTaskId;
    }

    /**
     * Returns how the task ended.
     *
     * @return failed, cancelled or timed out
     */
    public TaskState status() {
        return status;
    }

    /**
     * Returns when the task ended.
     *
     * @return the time by the store's clock
     */
    public Instant finishedAt() {
        return finishedAt;
    }
}
