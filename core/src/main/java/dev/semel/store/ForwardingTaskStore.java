package dev.semel.store;

import dev.semel.task.Identity;
import dev.semel.task.TaskId;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** A store that hands every call on to another: for those that watch, count or disturb some of them. */
public abstract class ForwardingTaskStore implements TaskStore {

    private final TaskStore store;

    /**
     * Wraps a store.
     *
     * @param store the store that does the work
     */
    protected ForwardingTaskStore(TaskStore store) {
        this.store = store;
    }

    @Override
    public List<Submitted> submit(List<NewTask> batch) {
        return store.submit(batch);
    }

    @Override
    public int concurrentSubmissions() {
        return store.concurrentSubmissions();
    }

    @Override
    public Claims claim(ClaimRequest request) {
        return store.claim(request);
    }

    @Override
    public List<Applied> apply(List<Transition> batch) {
        return store.apply(batch);
    }

    @Override
    public Map<TaskId, Task> find(Collection<TaskId> ids) {
        return store.find(ids);
    }

    @Override
    public Map<TaskId, List<Attempt>> attempts(Collection<TaskId> ids) {
        return store.attempts(ids);
    }

    @Override
    public Map<TaskId, List<EffectRecord>> effects(Collection<TaskId> lineages) {
        return store.effects(lineages);
    }

    @Override
    public EffectPage effects(EffectQuery query) {
        return store.effects(query);
    }

    @Override
    public Page list(TaskQuery query) {
        return store.list(query);
    }

    @Override
    public Map<Identity, KeyRecord> records(Collection<Identity> identities) {
        return store.records(identities);
    }

    @Override
    public Map<String, QueueSetUp> queues() {
        return store.queues();
    }

    @Override
    public Map<String, QueueDepth> depths() {
        return store.depths();
    }

    @Override
    public Swept sweep(SweepRequest request) {
        return store.sweep(request);
    }

    @Override
    public Registration listen(StoreListener listener) {
        return store.listen(listener);
    }

    @Override
    public void close() {
        store.close();
    }
}
