package dev.semel.store;

import dev.semel.task.Identity;
import dev.semel.task.ScheduleId;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A store that forwards every call to another, capabilities included: the base of stores that observe, count or disturb calls.
 */
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
    public List<Submitted> submit(List<? extends SubmitRequest> batch) {
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
    public List<Settled> settle(List<? extends Settlement> batch) {
        return store.settle(batch);
    }

    @Override
    public List<Operated> operate(List<? extends Operation> batch) {
        return store.operate(batch);
    }

    @Override
    public DueSchedules dueSchedules(int limit) {
        return store.dueSchedules(limit);
    }

    @Override
    public Map<ScheduleId, ScheduleRecord> schedules(Collection<ScheduleId> ids) {
        return store.schedules(ids);
    }

    @Override
    public List<ScheduleRecord> schedules(ScheduleQuery query) {
        return store.schedules(query);
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
    public Map<TaskId, History> histories(Collection<History.Query> queries) {
        return store.histories(queries);
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
    public Map<String, QueueSetUp> queues(Collection<String> names) {
        return store.queues(names);
    }

    @Override
    public Map<String, QueueDepth> depths(@Nullable String tenant) {
        return store.depths(tenant);
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
    public Optional<Joining> joining() {
        return store.joining();
    }

    @Override
    public Optional<Transacting> transacting() {
        return store.transacting();
    }

    @Override
    public boolean isMaintained() {
        return store.isMaintained();
    }

    @Override
    public Duration shortestLease() {
        return store.shortestLease();
    }

    @Override
    public void close() {
        store.close();
    }
}
