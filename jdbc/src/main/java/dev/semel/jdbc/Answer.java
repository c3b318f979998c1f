package dev.semel.jdbc;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What the thread that made it waits for, from one other thread. To give it needs no memory, unlike a
 * {@link java.util.concurrent.CompletableFuture}: a thread of the store that ran out of memory still answers its callers.
 *
 * @param <T> the class of the value
 */
public final class Answer<T> implements ForkJoinPool.ManagedBlocker {

    // A wake-up can get lost if there is no memory to wake a virtual thread: then it looks by itself.
    private static final long LOOK_NANOS = 1_000_000_000;

    private final Thread waiter = Thread.currentThread();
    private @Nullable T value;
    private @Nullable Throwable failure;
    private volatile boolean given;

    /** Waits for nothing yet: the thread that makes it is the one that will. */
    public Answer() {}

    /**
     * Gives a value, unless an answer was given already.
     *
     * @param result the value
     */
    public void complete(@Nullable T result) {
        give(result, null);
    }

    /**
     * Gives a failure, unless an answer was given already.
     *
     * @param because what {@link #get} throws as a cause
     */
    public void fail(Throwable because) {
        give(null, because);
    }

    /** The first answer counts. */
    private void give(@Nullable T result, @Nullable Throwable because) {
        if (given) {
            return;
        }
        value = result;
        failure = because;
        given = true;
        try {
            LockSupport.unpark(waiter);
        } catch (Throwable e) {
            return; // it looks by itself
        }
    }

    /**
     * Waits, and keeps an interrupt for later.
     *
     * @return the value
     */
    public T join() {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return get();
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw e.getCause() instanceof RuntimeException cause
                            ? cause
                            : new IllegalStateException("A part of a call ended in an error", e.getCause());
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Waits, on the thread that made it.
     *
     * @return the value
     * @throws InterruptedException if the thread is interrupted
     * @throws ExecutionException if a failure was given
     */
    @SuppressWarnings("NullAway") // a value is null only where T is nullable
    public T get() throws InterruptedException, ExecutionException {
        // Managed, so that a caller in a fork-join pool does not take a thread away from it meanwhile.
        ForkJoinPool.managedBlock(this);
        if (failure != null) {
            throw new ExecutionException(failure);
        }
        return value;
    }

    @Override
    public boolean block() throws InterruptedException {
        if (!given) {
            LockSupport.parkNanos(this, LOOK_NANOS);
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return given;
    }

    @Override
    public boolean isReleasable() {
        return given;
    }
}
