package dev.semel.testkit.virtualtime;

import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A handler on a thread of its own, in lock-step with the world's thread: exactly one of the two runs at any time, and each
 * hands over to the other. So a handler can wait in the middle of its work, and yet nothing depends on how threads are
 * scheduled.
 */
public class HandlerThread {

    // Nothing takes real time here, but somebody may look at a handler with a debugger.
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
                // as it should be
            } catch (Throwable e) {
                thrown = e;
            }
            ended = true;
            worldsTurn.release();
        });
    }

    /** By the world: lets the handler run until it pauses or has ended. */
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
                    "A handler did not come back within " + PATIENCE_MINUTES
                            + " minutes of real time. It may sleep, or wait for a lock that is held by the handler of a process"
                            + " that has crashed or stands still. Its thread is at "
                            + List.of(thread.getStackTrace()),
                    null);
        }
        Throwable escaped = thrown;
        thrown = null;
        if (over) {
            return; // whatever it did at its end, nobody asks any more
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

    /** By the handler: lets the world run until it is this handler's turn again. */
    void pause() {
        requireWorld();
        worldsTurn.release();
        handlersTurn.acquireUninterruptibly();
        requireWorld();
    }

    /** By the handler: ends it, if its world has. */
    void requireWorld() {
        if (over) {
            throw new Unwound();
        }
    }

    boolean hasEnded() {
        return ended;
    }

    /** Whether this is the thread that asks. */
    boolean isCurrent() {
        return Thread.currentThread().equals(thread);
    }

    /**
     * By the world, once it has ended: ends the thread. A process that crashes leaves its handlers as they are until then,
     * because whatever they do at their end would not happen in a crash.
     */
    public void unwind() {
        over = true;
        if (begun) {
            goOn();
        }
    }
}
