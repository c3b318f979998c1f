package dev.semel.spring;

import dev.semel.workflow.WorkflowHandler;
import dev.semel.workflow.WorkflowType;
import org.jspecify.annotations.Nullable;

/**
 * The code of a workflow that knows its type. A bean of this type is run by the application's worker.
 *
 * @param <I> the class of the input
 * @param <O> the class of the output
 */
public interface TypedWorkflow<I, O extends @Nullable Object> extends WorkflowHandler<I, O> {

    /** {@return the type of the workflows that this code runs} */
    WorkflowType<I, O> type();
}
