package dev.semel.spring;

import dev.semel.engine.Handler;
import dev.semel.task.TaskType;
import org.jspecify.annotations.Nullable;

/**
 * A handler that knows its task type. A bean of this type is a handler of the application's worker.
 *
 * @param <I> the class of the input
 * @param <O> the class of the output
 */
public interface TypedHandler<I, O extends @Nullable Object> extends Handler<I, O> {

    /** {@return the type of the tasks that this handler runs} */
    TaskType<I, O> type();
}
