package dev.semel.task;

/** The key has an open task, and the policy says to refuse a second submission rather than to return it. */
public final class TaskAlreadyExists extends SemelException {

    private static final long serialVersionUID = 1L;

    private final transient TaskId existingTaskId;
    private final transient TaskState status;

    /**
     * Makes the exception.
     *
     * @param message what happened
     * @param existingTaskId the open task
     * @param status its state
     */
    public TaskAlreadyExists(String message, TaskId existingTaskId, TaskState status) {
        super(message);
        this.existingTaskId = existingTaskId;
        this.status = status;
    }

    /**
     * The open task.
     *
     * @return its id
     */
    public TaskId existingTaskId() {
        return existingTaskId;
    }

    /**
     * The state of the open task.
     *
     * @return its state when the submission was refused
     */
    public TaskState status() {
        return status;
    }
}
