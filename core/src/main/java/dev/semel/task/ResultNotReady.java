package dev.semel.task;

/** The task has not ended within the time that the caller was ready to wait. Ask again; the task goes on. */
public final class ResultNotReady extends SemelException {

    private static final long serialVersionUID = 1L;

    private final transient TaskId taskId;

    /**
     * Makes the exception.
     *
     * @param message what happened
     * @param taskId the task
     */
    public ResultNotReady(String message, TaskId taskId) {
        super(message);
        this.taskId = taskId;
    }

    /**
     * The task that was asked for.
     *
     * @return its id
     */
    public TaskId taskId() {
        return taskId;
    }
}
