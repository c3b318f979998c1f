package dev.semel.benchmarks.peers;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A handler that does nothing but count, task by task. */
final class Executions implements Handler {

    private final AtomicIntegerArray runs;
    private final AtomicLong different = new AtomicLong();
    private final AtomicLong firstAt = new AtomicLong();
    private volatile long awaited = Long.MAX_VALUE;
    private volatile @Nullable Thread waiter;

    Executions(int tasks) {
        runs = new AtomicIntegerArray(tasks);
    }

    @Override
    public @Nullable String run(int number, String filler) {
        if (firstAt.get() == 0) {
            firstAt.compareAndSet(0, System.nanoTime());
        }
        if (runs.getAndIncrement(number) == 0 && different.incrementAndGet() >= awaited) {
            LockSupport.unpark(waiter);
        }
        return null;
    }

    /** Waits until so many different tasks have run. */
    void await(long tasks, long seconds) {
        long deadline = System.nanoTime() + seconds * 1_000_000_000L;
        waiter = Thread.currentThread();
        awaited = tasks;
        while (different.get() < tasks) {
            LockSupport.parkNanos(this, 100_000_000L);
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(
                        "Only " + different.get() + " of " + tasks + " tasks ran within " + seconds + " s");
            }
        }
        awaited = Long.MAX_VALUE;
    }

    /** When the first task of all began, on the clock of {@link System#nanoTime()}. */
    long firstAt() {
        return firstAt.get();
    }

    /** How often tasks ran beyond once each; fails if one did not run at all. */
    long extra(int tasks) {
        long extra = 0;
        for (int number = 0; number < tasks; number++) {
            int times = runs.get(number);
            if (times == 0) {
                throw new IllegalStateException("Task " + number + " did not run; the figure does not count");
            }
            extra += times - 1;
        }
        return extra;
    }
}
