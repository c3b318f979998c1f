package dev.semel.testkit.virtualtime;

import dev.semel.store.Applied;
import dev.semel.store.Attempt;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
import dev.semel.store.Page;
import dev.semel.store.QueueDepth;
import dev.semel.store.QueueSetUp;
import dev.semel.store.StoreListener;
import dev.semel.store.Submitted;
import dev.semel.store.SweepRequest;
import dev.semel.store.Swept;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.store.Transition;
import dev.semel.task.Identity;
import dev.semel.task.TaskId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A store that does nothing but notes what is wanted of it. A worker's loop hands its host a function that calls the store;
 * run against this one, the function gives away the call, which can then travel as a message.
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

    /** Makes a store. */
    public NotingStore() {}

    /** What a function wants of this store. */
    @SuppressWarnings("unchecked") // every method below throws the call that has its own class of answer
    <T> Call<T> noted(Supplier<T> function) {
        try {
            T answer = function.get();
            throw new IllegalStateException("A call was handed to the host that does not call the store: " + answer);
        } catch (Noted noted) {
            return (Call<T>) noted.call;
        }
    }

    @Override
    public List<Submitted> submit(List<NewTask> batch) {
        throw new Noted(new Call.Submit(List.copyOf(batch)));
    }

    @Override
    public Claims claim(ClaimRequest request) {
        throw new Noted(new Call.Claim(request));
    }

    @Override
    public List<Applied> apply(List<Transition> batch) {
        throw new Noted(new Call.Apply(List.copyOf(batch)));
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
    public Map<String, QueueDepth> depths() {
        throw new UnsupportedOperationException("No worker looks at the depths of queues");
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
