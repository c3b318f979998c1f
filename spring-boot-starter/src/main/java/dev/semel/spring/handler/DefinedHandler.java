package dev.semel.spring.handler;

import dev.semel.engine.Handler;
import dev.semel.engine.Worker;
import dev.semel.task.TaskType;
import org.jspecify.annotations.Nullable;

/**
 * A handler of the application and its task type.
 *
 * @param type the task type
 * @param handler the handler
 * @param origin the bean or method that it is, for messages
 */
record DefinedHandler<I, O extends @Nullable Object>(TaskType<I, O> type, Handler<I, O> handler, String origin) {

    void addTo(Worker.Builder worker) {
        worker.handle(type, handler);
    }
}
