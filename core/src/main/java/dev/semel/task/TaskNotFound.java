package dev.semel.task;

/** Thrown when there is no task with this id: it never existed, or it had no key and its data was deleted. */
public final class TaskNotFound extends SemelException {

    private static final long serialVersionUID = 1L;

    private final transient TaskId taskId;

    /**
     * Creates the exception.
     *
     * @param message what happened
     * @param taskId the task
     */
    public TaskNotFound(String message, TaskId taskId) {
        super(message);
        this.taskId = taskId;
    }

    /** {@return the id of the task} */
    public TaskId taskId() {
        return taskId;
    }
}
