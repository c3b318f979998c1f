package dev.semel.server.limit;

import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.NewTask;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.TaskStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A store whose submissions are admitted by the limits of their tenants. Steps of workflows and ticks of schedules are not submissions:
 * they follow from what was admitted. They count as open tasks and stored bytes.
 */
public final class LimitedTaskStore extends ForwardingTaskStore {

    private final Admission admission;

    /**
     * Limits a store.
     *
     * @param store the store
     * @param admission the limits
     */
    public LimitedTaskStore(TaskStore store, Admission admission) {
        super(store);
        this.admission = admission;
    }

    @Override
    public List<Submitted> submit(List<? extends SubmitRequest> batch) {
        Map<String, List<NewTask>> byTenant = new TreeMap<>();
        for (SubmitRequest request : batch) {
            switch (request) {
                case NewTask task -> add(byTenant, task);
                case SubmitRequest.SignalWithStart start -> add(byTenant, start.task());
                case SubmitRequest.Cancel cancel -> {}
                case SubmitRequest.Signal signal -> {}
            }
        }
        List<Admission.Ticket> tickets = new ArrayList<>();
        try {
            byTenant.forEach((tenant, tasks) -> tickets.add(admission.admit(
                    tenant,
                    tasks.size(),
                    tasks.stream()
                            .mapToLong(task -> TenantUsage.size(task.input()))
                            .sum())));
            return super.submit(batch);
        } finally {
            tickets.forEach(Admission.Ticket::close);
        }
    }

    private static void add(Map<String, List<NewTask>> byTenant, NewTask task) {
        byTenant.computeIfAbsent(task.tenant(), tenant -> new ArrayList<>()).add(task);
    }
}
