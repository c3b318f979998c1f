package dev.semel.workflow;

import org.jspecify.annotations.Nullable;

/**
 * The code of a workflow. It runs from the beginning after each wait, so it must do the same each time: everything that changes from
 * one call to the next comes from its {@link Flow}.
 *
 * @param <I> the class of the input
 * @param <O> the class of the output
 */
@FunctionalInterface
public interface WorkflowHandler<I, O extends @Nullable Object> {

    /**
     * Runs the workflow.
     *
     * @param flow starts steps, waits, and records
     * @param input the workflow's input
     * @return the result to store; null stores none
     * @throws Exception if the workflow failed; it is tried again by its retry policy, unless a step failed or the exception is a
     *     {@link dev.semel.task.PermanentFailure}
     */
    O run(Flow flow, I input) throws Exception;
}
