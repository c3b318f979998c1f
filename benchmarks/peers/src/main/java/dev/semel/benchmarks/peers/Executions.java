package dev.semel.benchmarks.peers;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A handler that only counts executions, task by task. */
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

    /** Waits until a number of different tasks have run. */
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

    /** Returns when the first task began, by {@link System#nanoTime()}. */
    long firstAt() {
        return firstAt.get();
    }

    /** Returns the number of executions beyond one for each task; fails if a task did not run. */
    long extra(int tasks) {
        long extra = 0;
        for (int number = 0; number < tasks; number++) {
            int times = runs.get(number);
            if (times == 0) {
                throw new IllegalStateException("Task " + number + " did not run, so the figure is not valid");
            }
            extra += times - 1;
        }
        return extra;
    }
}
