package dev.semel.task;

/** Thrown when the key has an open task and the policy rejects a second submission. */
public final class TaskAlreadyExists extends SemelException {

    private static final long serialVersionUID = 1L;

    private final transient TaskId existingTaskId;
    private final transient TaskState status;

    /**
     * Creates the exception.
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

    /** {@return the id of the open task} */
    public TaskId existingTaskId() {
        return existingTaskId;
    }

    /**
     * Returns the state of the open task.
     *
     * @return its state when the submission was rejected
     */
    public TaskState status() {
        return status;
    }
}
