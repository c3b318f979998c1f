package dev.semel.task;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Thrown when the result of a task is requested that failed, timed out or was cancelled. */
public final class TaskUnsuccessful extends SemelException {

    private static final long serialVersionUID = 1L;

    private final transient TaskId taskId;
    private final transient TaskState status;
    private final transient @Nullable String lastError;

    /**
     * Creates the exception.
     *
     * @param message what happened
     * @param taskId the task
     * @param status how it ended
     * @param lastError the error of its last attempt, or null if there is none or it is no longer stored
     */
    public TaskUnsuccessful(String message, TaskId taskId, TaskState status, @Nullable String lastError) {
        super(message);
        this.taskId = taskId;
        this.status = status;
        this.lastError = lastError;
    }

    /** {@return the id of the task} */
    public TaskId taskId() {
        return taskId;
    }

    /**
     * Returns how the task ended.
     *
     * @return failed, timed out or cancelled
     */
    public TaskState status() {
        return status;
    }

    /**
     * Returns the error of the last attempt.
     *
     * @return the error; empty if there is none or it is no longer stored
     */
    public Optional<String> lastError() {
        return Optional.ofNullable(lastError);
    }
}
