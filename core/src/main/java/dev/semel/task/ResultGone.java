package dev.semel.task;

/**
 * Thrown when the result of a completed task is no longer stored. Read results sooner, or set a longer retention for
 * the queue.
 */
public final class ResultGone extends SemelException {

    private static final long serialVersionUID = 1L;

    private final transient TaskId taskId;

    /**
     * Creates the exception.
     *
     * @param message what happened
     * @param taskId the id of the task
     */
    public ResultGone(String message, TaskId taskId) {
        super(message);
        this.taskId = taskId;
    }

    /** {@return the id of the task} */
    public TaskId taskId() {
        return taskId;
    }
}
