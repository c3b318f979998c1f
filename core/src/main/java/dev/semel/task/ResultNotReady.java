package dev.semel.task;

/** Thrown when a task has not ended within the caller's timeout. The task continues; wait for its result again. */
public final class ResultNotReady extends SemelException {

    private static final long serialVersionUID = 1L;

    private final transient TaskId taskId;

    /**
     * Creates the exception.
     *
     * @param message what happened
     * @param taskId the task
     */
    public ResultNotReady(String message, TaskId taskId) {
        super(message);
        this.taskId = taskId;
    }

    /** {@return the id of the task} */
    public TaskId taskId() {
        return taskId;
    }
}
