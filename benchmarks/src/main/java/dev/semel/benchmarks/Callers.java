package dev.semel.benchmarks;

import dev.semel.task.SemelException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Runs numbered operations on many platform threads, as a web server would. */
public final class Callers {

    private Callers() {}

    /** Runs operations on a storage without a log. */
    static Lap run(int callers, int number, IntConsumer one) {
        return run(() -> 0, callers, number, one);
    }

    /**
     * Runs the operations from 0 to the number, and returns how long they took.
     *
     * @param log returns the number of bytes that the storage has written to its log
     * @param callers the number of threads
     * @param number the number of operations
     * @param one runs the operation with a number
     * @return the duration of all operations together
     */
    public static Lap run(LongSupplier log, int callers, int number, IntConsumer one) {
        if (callers == 1) {
            Lap.Begun began = Lap.begin(log);
            for (int i = 0; i < number; i++) {
                one.accept(i);
            }
            return began.end();
        }
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger next = new AtomicInteger();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            threads.add(Thread.ofPlatform().name("caller-" + i).start(() -> {
                try {
                    go.await();
                    for (int mine = next.getAndIncrement(); mine < number; mine = next.getAndIncrement()) {
                        one.accept(mine);
                    }
                } catch (InterruptedException | RuntimeException e) {
                    failure.compareAndSet(null, e);
                }
            }));
        }
        Lap.Begun began = Lap.begin(log);
        go.countDown();
        threads.forEach(Callers::join);
        Lap took = began.end();
        Throwable thrown = failure.get();
        if (thrown instanceof SemelException known) {
            throw known; // its message says what to do
        }
        if (thrown != null) {
            throw new IllegalStateException("A caller failed", thrown);
        }
        return took;
    }

    static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while measuring", e);
        }
    }
}
