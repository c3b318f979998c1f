package dev.semel.engine;

import dev.semel.task.TaskType;
import org.jspecify.annotations.Nullable;

/** A task type with its handler. */
record Registered<I, O extends @Nullable Object>(TaskType<I, O> type, Handler<I, O> handler) {

    @Nullable
    Object handle(Codec codec, TaskContext context, String input) throws Exception {
        return handler.handle(context, codec.decode(input, type.input()));
    }
}
