package dev.semel.engine;

import org.jspecify.annotations.Nullable;

/**
 * The user's function that does the work of a task. It may run more than once for the same task: after a failure, after
 * a crash, and rarely at the same time as an earlier attempt that has lost its lease.
 *
 * @param <I> the class of the input
 * @param <O> the class of the output
 */
@FunctionalInterface
public interface Handler<I, O extends @Nullable Object> {

    /**
     * Does the work.
     *
     * @param context the attempt that this call belongs to
     * @param input the task's input
     * @return the result to store; null stores none
     * @throws Exception if the attempt failed; {@link dev.semel.task.PermanentFailure} if no retry would help
     */
    O handle(TaskContext context, I input) throws Exception;
}
