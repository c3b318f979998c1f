package dev.semel;

import dev.semel.engine.Worker;
import dev.semel.task.SafeLogger;
import dev.semel.task.TaskType;
import java.util.Set;

/** The checks of the names of queues and task types in one instance. They warn, and never reject. */
final class NameChecks {

    private static final SafeLogger LOG = SafeLogger.of(NameCheck.class);

    private final Settings settings;
    private final NameCheck queues = new NameCheck("queue");
    private final NameCheck types = new NameCheck("type");

    NameChecks(Settings settings, Set<String> codedQueues) {
        this.settings = settings;
        queues.declare(codedQueues);
        queues.declare(settings.queues().keySet());
        queues.declare(settings.workers().keySet());
        types.declare(settings.tasks().keySet());
        settings.tasks().values().forEach(type -> {
            String queue = type.queue();
            if (queue != null) {
                queues.declare(Set.of(queue));
            }
        });
    }

    void checkSubmission(String queue, String type) {
        queues.check(queue, "submission");
        types.check(type, "submission");
    }

    void checkWorker(Worker worker) {
        Set<String> claimed = worker.settings().queues();
        claimed.forEach(queue -> queues.check(queue, "worker"));
        queues.declare(claimed);
        for (TaskType<?, ?> type : worker.types()) {
            types.check(type.name(), "worker");
            types.declare(Set.of(type.name()));
            String configured = settings.task(type.name()).queue();
            String queue = configured != null ? configured : type.queue();
            if (!claimed.contains(queue)) {
                LOG.warn(
                        "Worker does not claim the queue of a type that it handles: worker={} type={} queue_of_type={}"
                                + " claimed={}. It runs only tasks that were submitted with another queue",
                        worker.name(),
                        type.name(),
                        queue,
                        claimed);
            }
        }
    }
}
