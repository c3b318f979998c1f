package dev.semel.engine;

import org.jspecify.annotations.Nullable;

/**
 * A handler whose task is a workflow: it is called again after each wait, and repeats what its history says.
 *
 * @param <I> the class of the input
 * @param <O> the class of the output
 */
@FunctionalInterface
public interface ReplayedHandler<I, O extends @Nullable Object> {

    /**
     * Goes on until the workflow ends or has to wait.
     *
     * @param context the attempt
     * @param journal the history
     * @param input the task's input
     * @return the result to store; null stores none
     * @throws Exception if the attempt failed
     */
    O handle(TaskContext context, Journal journal, I input) throws Exception;
}
