package dev.semel.cli;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** A limit for work that waits for a store. */
final class TimeLimit {

    private TimeLimit() {}

    /**
     * Runs work on a thread of its own, which is left behind if it takes longer: the program ends soon after.
     *
     * @param late the error if it takes longer
     */
    static <T> T run(Duration limit, Supplier<T> work, Supplier<? extends RuntimeException> late) {
        CompletableFuture<T> done = new CompletableFuture<>();
        Thread thread = Thread.ofPlatform().daemon().name("semel-limited").start(() -> {
            try {
                done.complete(work.get());
            } catch (RuntimeException | Error e) {
                done.completeExceptionally(e);
            }
        });
        try {
            return done.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            thread.interrupt();
            throw late.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw late.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new CompletionException(e.getCause());
        }
    }
}
