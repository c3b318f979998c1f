package dev.semel.storetests;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;

/** Many threads that do something at the same moment. */
final class Crowd implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 60;

    private final int size;
    private final ExecutorService threads;

    Crowd(int size) {
        this.size = size;
        this.threads = Executors.newFixedThreadPool(size);
    }

    /** Lets each thread, from number 0 on, do its part, all let go together, and gives what each returned. */
    <T> List<T> together(IntFunction<T> part) {
        CountDownLatch ready = new CountDownLatch(size);
        CountDownLatch go = new CountDownLatch(1);
        List<Future<T>> parts = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            int number = i;
            parts.add(threads.submit(() -> {
                ready.countDown();
                go.await();
                return part.apply(number);
            }));
        }
        try {
            ready.await();
            go.countDown();
            List<T> results = new ArrayList<>();
            for (Future<T> each : parts) {
                results.add(each.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
            }
            return results;
        } catch (ExecutionException e) {
            throw new AssertionError("One of " + size + " threads failed", e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("Not all of " + size + " threads returned: a deadlock, or far too slow", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("Interrupted", e);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
