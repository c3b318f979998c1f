package dev.semel.benchmarks;

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
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Counts the calls to a store, and wakes whoever waits for a number of completions. */
final class CountingStore implements TaskStore {

    private final TaskStore store;
    private final AtomicLong submits = new AtomicLong();
    private final AtomicLong claims = new AtomicLong();
    private final AtomicLong applies = new AtomicLong();
    private final AtomicLong completed = new AtomicLong();
    private volatile long awaited = Long.MAX_VALUE;
    private volatile @Nullable Thread waiter;

    CountingStore(TaskStore store) {
        this.store = store;
    }

    /** How many calls there were of each kind. */
    record Calls(long submits, long claims, long applies) {
        long total() {
            return submits + claims + applies;
        }
    }

    Calls calls() {
        return new Calls(submits.get(), claims.get(), applies.get());
    }

    long completed() {
        return completed.get();
    }

    /** Waits until so many tasks were completed and the store has said so; fails if that takes too long. */
    void awaitCompleted(long number) {
        long deadline = System.nanoTime() + 120_000_000_000L;
        waiter = Thread.currentThread();
        awaited = number;
        while (completed.get() < number) {
            LockSupport.parkNanos(this, 1_000_000_000L);
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(
                        "Only " + completed.get() + " of " + number + " tasks were completed within two minutes");
            }
        }
        awaited = Long.MAX_VALUE;
    }

    @Override
    public List<Submitted> submit(List<NewTask> batch) {
        submits.incrementAndGet();
        return store.submit(batch);
    }

    @Override
    public Claims claim(ClaimRequest request) {
        claims.incrementAndGet();
        return store.claim(request);
    }

    @Override
    public List<Applied> apply(List<Transition> batch) {
        applies.incrementAndGet();
        List<Applied> answers = store.apply(batch);
        int ended = 0;
        for (int i = 0; i < answers.size(); i++) {
            if (answers.get(i) == Applied.APPLIED && batch.get(i) instanceof Transition.Complete) {
                ended++;
            }
        }
        if (completed.addAndGet(ended) >= awaited) {
            LockSupport.unpark(waiter);
        }
        return answers;
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
