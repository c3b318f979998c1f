package dev.semel.testkit.virtualtime;

import dev.semel.store.Attempt;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.DueSchedules;
import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.History;
import dev.semel.store.KeyRecord;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Page;
import dev.semel.store.QueueDepth;
import dev.semel.store.QueueSetUp;
import dev.semel.store.ScheduleQuery;
import dev.semel.store.ScheduleRecord;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.StoreListener;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.SweepRequest;
import dev.semel.store.Swept;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.Identity;
import dev.semel.task.ScheduleId;
import dev.semel.task.TaskId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store that only records calls. A worker's loop passes its host a function that calls the store. Run against this
 * store, the function yields the call, which can then travel as a message.
 */
public final class NotingStore implements TaskStore {

    private static final class Noted extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient Call<?> call;

        Noted(Call<?> call) {
            super(null, null, false, false);
            this.call = call;
        }
    }

    /** Creates a store. */
    public NotingStore() {}

    /** Returns the call that a function makes to this store. */
    @SuppressWarnings("unchecked") // every method below throws the call that has its own class of answer
    <T> Call<T> noted(Supplier<T> function) {
        try {
            T answer = function.get();
            throw new IllegalStateException(
                    "The function passed to the host does not call the store, but returned" + " " + answer);
        } catch (Noted noted) {
            return (Call<T>) noted.call;
        }
    }

    @Override
    public List<Submitted> submit(List<? extends SubmitRequest> batch) {
        throw new Noted(new Call.Submit(List.copyOf(batch)));
    }

    @Override
    public Claims claim(ClaimRequest request) {
        throw new Noted(new Call.Claim(request));
    }

    @Override
    public List<Settled> settle(List<? extends Settlement> batch) {
        throw new Noted(new Call.Settle(List.copyOf(batch)));
    }

    @Override
    public List<Operated> operate(List<? extends Operation> batch) {
        throw new Noted(new Call.Operate(List.copyOf(batch)));
    }

    @Override
    public Map<TaskId, Task> find(Collection<TaskId> ids) {
        throw new Noted(new Call.Find(List.copyOf(ids)));
    }

    @Override
    public Map<TaskId, List<EffectRecord>> effects(Collection<TaskId> lineages) {
        throw new Noted(new Call.ReadEffects(List.copyOf(lineages)));
    }

    @Override
    public Map<TaskId, History> histories(Collection<History.Query> queries) {
        throw new Noted(new Call.ReadHistories(List.copyOf(queries)));
    }

    @Override
    public EffectPage effects(EffectQuery query) {
        throw new UnsupportedOperationException("No worker lists effects");
    }

    @Override
    public Map<TaskId, List<Attempt>> attempts(Collection<TaskId> ids) {
        throw new UnsupportedOperationException("No worker reads the attempts of a task");
    }

    @Override
    public Page list(TaskQuery query) {
        throw new UnsupportedOperationException("No worker lists tasks");
    }

    @Override
    public Map<Identity, KeyRecord> records(Collection<Identity> identities) {
        throw new UnsupportedOperationException("No worker looks up a key");
    }

    @Override
    public Map<String, QueueSetUp> queues() {
        throw new UnsupportedOperationException("No worker looks at the settings of queues");
    }

    @Override
    public Map<String, QueueDepth> depths(@Nullable String tenant) {
        throw new UnsupportedOperationException("No worker looks at the depths of queues");
    }

    @Override
    public DueSchedules dueSchedules(int limit) {
        throw new UnsupportedOperationException("No worker makes ticks of schedules");
    }

    @Override
    public Map<ScheduleId, ScheduleRecord> schedules(Collection<ScheduleId> ids) {
        throw new UnsupportedOperationException("No worker reads schedules");
    }

    @Override
    public List<ScheduleRecord> schedules(ScheduleQuery query) {
        throw new UnsupportedOperationException("No worker lists schedules");
    }

    @Override
    public Swept sweep(SweepRequest request) {
        throw new Noted(new Call.Sweep(request));
    }

    @Override
    public Registration listen(StoreListener listener) {
        throw new UnsupportedOperationException("The process listens for its worker");
    }

    @Override
    public void close() {}
}
