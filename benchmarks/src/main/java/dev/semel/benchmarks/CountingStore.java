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
    private final AtomicLong waiting = new AtomicLong();
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
        await(completed, number, "completed");
    }

    /** Waits until the store has confirmed that a number of workflows wait; fails if that takes too long. */
    void awaitWaiting(long number) {
        await(waiting, number, "waiting");
    }

    private void await(AtomicLong counter, long number, String what) {
        long deadline = System.nanoTime() + 120_000_000_000L;
        waiter = Thread.currentThread();
        awaited = number;
        while (counter.get() < number) {
            LockSupport.parkNanos(this, 1_000_000_000L);
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(
                        "Only " + counter.get() + " of " + number + " tasks were " + what + " within two minutes");
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
        int suspended = 0;
        for (int i = 0; i < answers.size(); i++) {
            if (answers.get(i) == Settled.APPLIED) {
                ended += batch.get(i) instanceof Settlement.Complete ? 1 : 0;
                suspended += batch.get(i) instanceof Settlement.Wait ? 1 : 0;
            }
        }
        long nowWaiting = waiting.addAndGet(suspended);
        long nowCompleted = completed.addAndGet(ended);
        if (Math.max(nowWaiting, nowCompleted) >= awaited) {
            LockSupport.unpark(waiter);
        }
        return answers;
    }
}
