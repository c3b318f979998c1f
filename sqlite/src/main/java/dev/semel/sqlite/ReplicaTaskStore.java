package dev.semel.sqlite;

import dev.semel.store.Attempt;
import dev.semel.store.DueSchedules;
import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.History;
import dev.semel.store.Joining;
import dev.semel.store.KeyRecord;
import dev.semel.store.Page;
import dev.semel.store.QueueDepth;
import dev.semel.store.QueueSetUp;
import dev.semel.store.ScheduleQuery;
import dev.semel.store.ScheduleRecord;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.store.Transacting;
import dev.semel.task.Identity;
import dev.semel.task.ScheduleId;
import dev.semel.task.TaskId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A store on a copy: each read first waits until the copy has what was published before the read was called. */
final class ReplicaTaskStore extends ForwardingTaskStore {

    private final Runnable refresh;

    ReplicaTaskStore(TaskStore store, Runnable refresh) {
        super(store);
        this.refresh = refresh;
    }

    @Override
    public DueSchedules dueSchedules(int limit) {
        refresh.run();
        return super.dueSchedules(limit);
    }

    @Override
    public Map<ScheduleId, ScheduleRecord> schedules(Collection<ScheduleId> ids) {
        refresh.run();
        return super.schedules(ids);
    }

    @Override
    public List<ScheduleRecord> schedules(ScheduleQuery query) {
        refresh.run();
        return super.schedules(query);
    }

    @Override
    public Map<TaskId, Task> find(Collection<TaskId> ids) {
        refresh.run();
        return super.find(ids);
    }

    @Override
    public Map<TaskId, List<Attempt>> attempts(Collection<TaskId> ids) {
        refresh.run();
        return super.attempts(ids);
    }

    @Override
    public Map<TaskId, List<EffectRecord>> effects(Collection<TaskId> lineages) {
        refresh.run();
        return super.effects(lineages);
    }

    @Override
    public EffectPage effects(EffectQuery query) {
        refresh.run();
        return super.effects(query);
    }

    @Override
    public Map<TaskId, History> histories(Collection<History.Query> queries) {
        refresh.run();
        return super.histories(queries);
    }

    @Override
    public Page list(TaskQuery query) {
        refresh.run();
        return super.list(query);
    }

    @Override
    public Map<Identity, KeyRecord> records(Collection<Identity> identities) {
        refresh.run();
        return super.records(identities);
    }

    @Override
    public Map<String, QueueSetUp> queues() {
        refresh.run();
        return super.queues();
    }

    @Override
    public Map<String, QueueSetUp> queues(Collection<String> names) {
        refresh.run();
        return super.queues(names);
    }

    @Override
    public Map<String, QueueDepth> depths(@Nullable String tenant) {
        refresh.run();
        return super.depths(tenant);
    }

    /** Absent: a caller's own transaction on the copy would not be published. */
    @Override
    public Optional<Joining> joining() {
        return Optional.empty();
    }

    /** Absent, for the same reason. */
    @Override
    public Optional<Transacting> transacting() {
        return Optional.empty();
    }
}
