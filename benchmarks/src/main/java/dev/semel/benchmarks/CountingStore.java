package dev.semel.benchmarks;

import dev.semel.store.Applied;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.store.TaskStore;
import dev.semel.store.Transition;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Counts the calls to a store, and wakes whoever waits for a number of completions. */
final class CountingStore extends ForwardingTaskStore {

    private final AtomicLong submits = new AtomicLong();
    private final AtomicLong claims = new AtomicLong();
    private final AtomicLong applies = new AtomicLong();
    private final AtomicLong completed = new AtomicLong();
    private volatile long awaited = Long.MAX_VALUE;
    private volatile @Nullable Thread waiter;

    CountingStore(TaskStore store) {
        super(store);
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
        return super.submit(batch);
    }

    @Override
    public Claims claim(ClaimRequest request) {
        claims.incrementAndGet();
        return super.claim(request);
    }

    @Override
    public List<Applied> apply(List<Transition> batch) {
        applies.incrementAndGet();
        List<Applied> answers = super.apply(batch);
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
}
