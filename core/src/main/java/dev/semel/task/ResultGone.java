package dev.semel.task;

/** The task completed, but its data is no longer stored. Ask sooner, or set a longer retention for its queue. */
public final class ResultGone extends SemelException {

    private static final long serialVersionUID = 1L;

    private final transient TaskId taskId;

    /**
     * Makes the exception.
     *
     * @param message what happened
     * @param taskId the task
     */
    public ResultGone(String message, TaskId taskId) {
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
