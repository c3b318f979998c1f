package dev.semel.task;

import java.util.List;

/**
 * Thrown when a key is used again with a different input or task type. Nothing was changed.
 *
 * <p>Either the key is too coarse, so that two different requests share it, or the input contains a field that changes
 * on every retry. Exclude such a field from the type's hash.
 */
public final class IdempotencyConflict extends SemelException {

    private static final long serialVersionUID = 1L;

    private final transient TaskId existingTaskId;
    private final transient TaskState status;
    private final transient InputHash existingHash;
    private final transient InputHash requestHash;
    private final transient List<String> differingPaths;

    /**
     * Creates the exception.
     *
     * @param message what happened
     * @param existingTaskId the task that has the key
     * @param status its state
     * @param existingHash the hash of its input
     * @param requestHash the hash of the rejected input
     * @param differingPaths JSON pointers to the values that differ; empty if the first input is no longer stored
     */
    public IdempotencyConflict(
            String message,
            TaskId existingTaskId,
            TaskState status,
            InputHash existingHash,
            InputHash requestHash,
            List<String> differingPaths) {
        super(message);
        this.existingTaskId = existingTaskId;
        this.status = status;
        this.existingHash = existingHash;
        this.requestHash = requestHash;
        this.differingPaths = List.copyOf(differingPaths);
    }

    /** {@return the id of the task that has the key} */
    public TaskId existingTaskId() {
        return existingTaskId;
    }

    /**
     * Returns the state of the task that has the key.
     *
     * @return its state when the submission was rejected
     */
    public TaskState status() {
        return status;
    }

    /** {@return the hash of the input that was accepted under this key} */
    public InputHash existingHash() {
        return existingHash;
    }

    /** {@return the hash of the rejected input} */
    public InputHash requestHash() {
        return requestHash;
    }

    /**
     * Returns where the two inputs differ.
     *
     * @return JSON pointers, never values; empty if the first input is no longer stored
     */
    public List<String> differingPaths() {
        return differingPaths;
    }
}
