package dev.semel.engine;

import dev.semel.task.InvalidInput;
import dev.semel.task.PermanentFailure;
import dev.semel.task.SafeLogger;
import dev.semel.task.TaskType;
import org.jspecify.annotations.Nullable;

/**
 * A task type and its handler.
 *
 * @param failures the logger of the handler's failures
 */
record Registered<I, O extends @Nullable Object>(TaskType<I, O> type, Handler<I, O> handler, SafeLogger failures) {

    /** The handler of one type, with a logger of its own. */
    static <I, O extends @Nullable Object> Registered<I, O> ofType(TaskType<I, O> type, Handler<I, O> handler) {
        return new Registered<>(type, handler, SafeLogger.named(Runner.FAILURES + "." + type.name()));
    }

    /** The handler of any type. It has one logger for all, because the names of the types come from submissions. */
    static <I, O extends @Nullable Object> Registered<I, O> ofAnyType(TaskType<I, O> settings, Handler<I, O> handler) {
        return new Registered<>(settings, handler, SafeLogger.named(Runner.FAILURES));
    }

    /** Runs the handler and returns its result as JSON, or null. */
    @Nullable
    String handle(Codec codec, TaskContext context, String input) throws Exception {
        O output = handler.handle(context, decoded(codec, input));
        context.requireEnded(output);
        return Runner.encoded(codec, output, type.output());
    }

    private I decoded(Codec codec, String input) {
        try {
            return codec.decode(input, type.input());
        } catch (InvalidInput e) {
            // The same text will never fit the same class, so a retry would only cost time.
            throw new PermanentFailure(
                    "The input does not fit task type \"" + type.name() + "\", and the handler did not run. "
                            + e.getMessage() + " Deploy a class that fits, then redrive the task.",
                    e);
        }
    }
}
