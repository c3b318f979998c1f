package dev.semel.spring.handler;

import dev.semel.engine.Worker;
import dev.semel.task.TaskType;
import java.util.function.Consumer;

/**
 * A handler of the application, or the code of one of its workflows, and its type.
 *
 * @param type the task type, for a workflow that of its task
 * @param origin the bean or method that it is, for messages
 * @param registration adds it to a worker
 */
record DefinedHandler(TaskType<?, ?> type, String origin, Consumer<Worker.Builder> registration) {

    void addTo(Worker.Builder worker) {
        registration.accept(worker);
    }
}
