package dev.semel.testkit.virtualtime;

import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A handler on its own thread, in lock-step with the world's thread: exactly one of the two runs at any time, and each
 * hands over to the other. So a handler can wait in the middle of its work, and nothing depends on how threads are
 * scheduled.
 */
public class HandlerThread {

    // Nothing takes real time here, except when a person debugs a handler.
    private static final int PATIENCE_MINUTES = 5;

    private final Semaphore handlersTurn = new Semaphore(0);
    private final Semaphore worldsTurn = new Semaphore(0);
    private final Thread thread;

    // Handed over with the turn.
    private boolean begun;
    private boolean over;
    private boolean ended;
    private @Nullable Throwable thrown;

    /** Unwinds a handler whose world has ended. */
    private static final class Unwound extends Error {
        private static final long serialVersionUID = 1L;

        Unwound() {
            super("the world of this handler has ended", null, false, false);
        }
    }

    HandlerThread(Thread.Builder threads, Runnable handler) {
        this.thread = threads.name("handler").unstarted(() -> {
            handlersTurn.acquireUninterruptibly();
            try {
                handler.run();
            } catch (Unwound e) {
                // the expected end
            } catch (Throwable e) {
                thrown = e;
            }
            ended = true;
            worldsTurn.release();
        });
    }

    /** Lets the handler run until it pauses or has ended. Called by the world. */
    void goOn() {
        if (ended) {
            return;
        }
        if (!begun) {
            begun = true;
            thread.start();
        }
        handlersTurn.release();
        if (!isWorldsTurn()) {
            throw new WorldFailure(
                    "A handler did not pause or end within " + PATIENCE_MINUTES + " minutes of real time. It may"
                            + " sleep, or wait for a lock that is held by the handler of a crashed or frozen process."
                            + " Its thread is at "
                            + List.of(thread.getStackTrace()),
                    null);
        }
        Throwable escaped = thrown;
        thrown = null;
        if (over) {
            return; // the world has ended, so the outcome no longer matters
        }
        if (escaped instanceof WorldFailure failure) {
            throw failure;
        }
        if (escaped != null) {
            throw new WorldFailure("A handler's thread ended with " + escaped, escaped);
        }
    }

    private boolean isWorldsTurn() {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return worldsTurn.tryAcquire(PATIENCE_MINUTES, TimeUnit.MINUTES);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Lets the world run until it is this handler's turn again. Called by the handler. */
    void pause() {
        requireWorld();
        worldsTurn.release();
        handlersTurn.acquireUninterruptibly();
        requireWorld();
    }

    /** Ends the handler if its world has ended. Called by the handler. */
    void requireWorld() {
        if (over) {
            throw new Unwound();
        }
    }

    boolean hasEnded() {
        return ended;
    }

    /** Returns whether this is the current thread. */
    boolean isCurrent() {
        return Thread.currentThread().equals(thread);
    }

    /**
     * Ends the thread. Called by the world after it has ended. Handlers of a crashed process stay suspended until then,
     * because their {@code finally} blocks would not run in a crash.
     */
    public void unwind() {
        over = true;
        if (begun) {
            goOn();
        }
    }
}
