package dev.semel.cli;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.QueueSetUp;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.SweepRequest;
import dev.semel.store.Swept;
import dev.semel.store.TaskStore;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A store for a dry run: reads as if the configured queues were declared, and rejects every change. */
final class DryStore extends ForwardingTaskStore {

    private final Map<String, QueueSettings> declared;

    DryStore(TaskStore store, Map<String, QueueSettings> declared) {
        super(store);
        this.declared = Map.copyOf(declared);
    }

    @Override
    public Map<String, QueueSetUp> queues() {
        Map<String, QueueSetUp> queues = new HashMap<>(super.queues());
        declared.forEach((name, settings) -> queues.put(
                name,
                new QueueSetUp(
                        settings, queues.getOrDefault(name, QueueSetUp.NONE).set())));
        return queues;
    }

    @Override
    public Map<String, QueueSetUp> queues(Collection<String> names) {
        Map<String, QueueSetUp> queues = new HashMap<>(queues());
        queues.keySet().retainAll(names);
        return queues;
    }

    @Override
    public List<Submitted> submit(List<? extends SubmitRequest> batch) {
        throw changesNothing();
    }

    @Override
    public Claims claim(ClaimRequest request) {
        throw changesNothing();
    }

    @Override
    public List<Settled> settle(List<? extends Settlement> batch) {
        throw changesNothing();
    }

    @Override
    public List<Operated> operate(List<? extends Operation> batch) {
        throw changesNothing();
    }

    @Override
    public Swept sweep(SweepRequest request) {
        throw changesNothing();
    }

    private static IllegalStateException changesNothing() {
        return new IllegalStateException("A dry run changes nothing");
    }
}
