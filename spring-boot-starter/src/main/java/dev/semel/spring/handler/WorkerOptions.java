package dev.semel.spring.handler;

import dev.semel.engine.Worker;
import dev.semel.task.TaskType;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The settings of the application's worker.
 *
 * @param enabled whether to start it
 * @param keepAlive whether a running worker keeps the JVM running
 * @param queues the queues to claim from; empty for those of the types that have a handler
 * @param queueOf the queue of submissions of a type, by configuration or code
 * @param settings the other settings
 */
public record WorkerOptions(
        boolean enabled,
        boolean keepAlive,
        List<String> queues,
        Function<TaskType<?, ?>, String> queueOf,
        Consumer<Worker.Builder> settings) {

    void applyTo(Worker.Builder builder) {
        settings.accept(builder);
    }
}
