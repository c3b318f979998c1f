package dev.semel.workflow;

/** Undoes something that a workflow has done, in case that the workflow ends without success. */
@FunctionalInterface
public interface Compensation {

    /**
     * Undoes it, most often with a step. It is replayed as the other code of the workflow is.
     *
     * @throws Exception if it fails: a {@link dev.semel.task.TaskUnsuccessful} or {@link dev.semel.task.PermanentFailure} for good; after any other
     *     one the workflow is tried again by its retry policy
     */
    void undo() throws Exception;
}
