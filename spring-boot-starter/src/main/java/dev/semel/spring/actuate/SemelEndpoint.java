package dev.semel.spring.actuate;

import dev.semel.Semel;
import dev.semel.spring.handler.WorkerLifecycle;
import dev.semel.store.QueueDepth;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** The endpoint {@code semel}: the worker of this process, and the depth of each queue. It only reads. */
@Endpoint(id = "semel")
public final class SemelEndpoint {

    private final Semel semel;
    private final WorkerLifecycle worker;

    /**
     * Creates the endpoint.
     *
     * @param semel the instance
     * @param worker its worker
     */
    public SemelEndpoint(Semel semel, WorkerLifecycle worker) {
        this.semel = semel;
        this.worker = worker;
    }

    /**
     * The answer of the endpoint.
     *
     * @param worker the name of this process's worker, or null
     * @param types the types that have a handler here
     * @param queues all queues of the store, by name
     */
    public record Overview(@Nullable String worker, Set<String> types, Map<String, Queue> queues) {}

    /**
     * A queue.
     *
     * @param paused whether it is paused
     * @param due tasks that can be claimed
     * @param delayed tasks that are due later
     * @param running tasks that run
     * @param waiting tasks that wait
     * @param dead dead letters
     * @param oldestDue since when the longest waiting due task is due, or null
     */
    public record Queue(
            boolean paused,
            long due,
            long delayed,
            long running,
            long waiting,
            long dead,
            @Nullable Instant oldestDue) {}

    /** {@return the worker of this process and all queues} */
    @ReadOperation
    public Overview overview() {
        Map<String, Queue> queues = new TreeMap<>();
        semel.operations().queues().forEach(view -> {
            QueueDepth depth = view.depth();
            queues.put(
                    view.name(),
                    new Queue(
                            view.setUp().effective().isPaused(),
                            depth.due(),
                            depth.delayed(),
                            depth.running(),
                            depth.waiting(),
                            depth.dead(),
                            depth.oldestDue()));
        });
        return new Overview(worker.worker(), worker.types(), queues);
    }
}
