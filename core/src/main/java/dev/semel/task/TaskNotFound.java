package dev.semel.task;

/** There is no task of this id: it never was, or its data has gone and it had no key. */
public final class TaskNotFound extends SemelException {

    private static final long serialVersionUID = 1L;

    private final transient TaskId taskId;

    /**
     * Makes the exception.
     *
     * @param message what happened
     * @param taskId the task
     */
    public TaskNotFound(String message, TaskId taskId) {
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
