package dev.semel.benchmarks;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.TaskStore;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A store that counts calls and completions. */
final class CountingStore extends ForwardingTaskStore {

    private final AtomicLong submits = new AtomicLong();
    private final AtomicLong claims = new AtomicLong();
    private final AtomicLong settles = new AtomicLong();
    private final AtomicLong completed = new AtomicLong();
    private volatile long awaited = Long.MAX_VALUE;
    private volatile @Nullable Thread waiter;

    CountingStore(TaskStore store) {
        super(store);
    }

    /** The number of calls of each kind. */
    record Calls(long submits, long claims, long settles) {
        long total() {
            return submits + claims + settles;
        }
    }

    Calls calls() {
        return new Calls(submits.get(), claims.get(), settles.get());
    }

    long completed() {
        return completed.get();
    }

    /** Waits until the store has confirmed a number of completions; fails if that takes too long. */
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
    public List<Submitted> submit(List<? extends SubmitRequest> batch) {
        submits.incrementAndGet();
        return super.submit(batch);
    }

    @Override
    public Claims claim(ClaimRequest request) {
        claims.incrementAndGet();
        return super.claim(request);
    }

    @Override
    public List<Settled> settle(List<? extends Settlement> batch) {
        settles.incrementAndGet();
        List<Settled> answers = super.settle(batch);
        int ended = 0;
        for (int i = 0; i < answers.size(); i++) {
            if (answers.get(i) == Settled.APPLIED && batch.get(i) instanceof Settlement.Complete) {
                ended++;
            }
        }
        if (completed.addAndGet(ended) >= awaited) {
            LockSupport.unpark(waiter);
        }
        return answers;
    }
}
