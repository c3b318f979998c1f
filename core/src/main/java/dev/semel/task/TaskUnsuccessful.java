package dev.semel.task;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The task whose result was asked for has ended without one: it failed, timed out or was cancelled. */
public final class TaskUnsuccessful extends SemelException {

    private static final long serialVersionUID = 1L;

    private final transient TaskId taskId;
    private final transient TaskState status;
    private final transient @Nullable String lastError;

    /**
     * Makes the exception.
     *
     * @param message what happened
     * @param taskId the task
     * @param status how it ended
     * @param lastError the error of its last attempt, or null where there is none or it is no longer stored
     */
    public TaskUnsuccessful(String message, TaskId taskId, TaskState status, @Nullable String lastError) {
        super(message);
        this.taskId = taskId;
        this.status = status;
        this.lastError = lastError;
    }

    /**
     * The task that was asked for.
     *
     * @return its id
     */
    public TaskId taskId() {
        return taskId;
    }

    /**
     * How the task ended.
     *
     * @return failed, timed out or cancelled
     */
    public TaskState status() {
        return status;
    }

    /**
     * The error of the last attempt.
     *
     * @return the error; empty where there is none or it is no longer stored
     */
    public Optional<String> lastError() {
        return Optional.ofNullable(lastError);
    }
}
