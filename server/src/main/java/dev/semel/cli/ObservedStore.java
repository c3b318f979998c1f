package dev.semel.cli;

import dev.semel.store.Applied;
import dev.semel.store.Attempt;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
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
import java.util.Optional;

/**
 * A store whose claims and moves somebody watches. What a worker did is what the store answered to it, so that is where it
 * is read off: a handler knows neither whether its task goes into another attempt nor whether its outcome was refused.
 */
final class ObservedStore implements TaskStore {

    /** Is told of claims and moves after they were answered, on the thread that made them. */
    interface Observer {
        /** Tasks were claimed, or none. */
        void claimed(ClaimRequest request, Claims claims);

        /** A move was answered. */
        void applied(Transition move, Applied answer);
    }

    private final TaskStore store;
    private final Observer observer;

    ObservedStore(TaskStore store, Observer observer) {
        this.store = store;
        this.observer = observer;
    }

    @Override
    public Claims claim(ClaimRequest request) {
        Claims claims = store.claim(request);
        observer.claimed(request, claims);
        return claims;
    }

    @Override
    public List<Applied> apply(List<Transition> batch) {
        List<Applied> answers = store.apply(batch);
        for (int i = 0; i < batch.size(); i++) {
            observer.applied(batch.get(i), answers.get(i));
        }
        return answers;
    }

    @Override
    public List<Submitted> submit(List<NewTask> batch) {
        return store.submit(batch);
    }

    @Override
    public Map<TaskId, Task> find(Collection<TaskId> ids) {
        return store.find(ids);
    }

    @Override
    public List<Attempt> attempts(TaskId id) {
        return store.attempts(id);
    }

    @Override
    public List<Task> list(TaskQuery query) {
        return store.list(query);
    }

    @Override
    public Optional<KeyRecord> record(Identity identity) {
        return store.record(identity);
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
