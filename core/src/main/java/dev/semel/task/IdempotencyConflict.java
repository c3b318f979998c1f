package dev.semel.task;

import java.util.List;

/**
 * The same key came with another input or another task type. Nothing was changed.
 *
 * <p>Either the key is too coarse (two different requests share it) or the input holds something that changes on every
 * retry (leave that field out of the type's hash).
 */
public final class IdempotencyConflict extends SemelException {

    private static final long serialVersionUID = 1L;

    private final transient TaskId existingTaskId;
    private final transient TaskState status;
    private final transient InputHash existingHash;
    private final transient InputHash requestHash;
    private final transient List<String> differingPaths;

    /**
     * Makes the exception.
     *
     * @param message what happened
     * @param existingTaskId the task that has the key
     * @param status its state
     * @param existingHash the hash of its input
     * @param requestHash the hash of the refused input
     * @param differingPaths JSON pointers to the places that differ; empty where the first input is no longer stored
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

    /**
     * The task that has the key.
     *
     * @return its id
     */
    public TaskId existingTaskId() {
        return existingTaskId;
    }

    /**
     * The state of the task that has the key.
     *
     * @return its state when the submission was refused
     */
    public TaskState status() {
        return status;
    }

    /**
     * The hash of the input that was accepted under this key.
     *
     * @return the hash
     */
    public InputHash existingHash() {
        return existingHash;
    }

    /**
     * The hash of the input that was refused.
     *
     * @return the hash
     */
    public InputHash requestHash() {
        return requestHash;
    }

    /**
     * Where the two inputs differ.
     *
     * @return JSON pointers, never values; empty where the first input is no longer stored
     */
    public List<String> differingPaths() {
        return differingPaths;
    }
}
