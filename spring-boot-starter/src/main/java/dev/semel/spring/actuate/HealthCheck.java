package dev.semel.spring.actuate;

import dev.semel.spring.handler.WorkerLifecycle;
import dev.semel.store.TaskStore;
import java.util.LinkedHashMap;
import java.util.Map;

/** The health of Semel: the store answers, and the worker runs if it should. */
public final class HealthCheck {

    private final TaskStore store;
    private final WorkerLifecycle worker;

    /**
     * Creates the check.
     *
     * @param store the store
     * @param worker its worker
     */
    public HealthCheck(TaskStore store, WorkerLifecycle worker) {
        this.store = store;
        this.worker = worker;
    }

    /**
     * Reads a little from the store.
     *
     * @return details for operators
     * @throws dev.semel.task.StoreUnavailable if the store did not answer
     */
    Map<String, Object> details() {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("queuesWithSettings", store.queues().size());
        String name = worker.worker();
        details.put("worker", name == null ? "none" : name);
        details.put("queues", worker.queues());
        details.put("types", worker.types());
        return details;
    }
}
