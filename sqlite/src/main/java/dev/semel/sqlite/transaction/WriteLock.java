package dev.semel.sqlite.transaction;

import dev.semel.sqlite.file.DatabaseFile;
import dev.semel.sqlite.hint.Hints;
import dev.semel.sqlite.sql.Session;
import dev.semel.sqlite.time.FileClock;
import dev.semel.task.StoreUnavailable;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * SQLite's only write lock, as one store waits for it. Between processes the first that asks once it is free gets it. Inside
 * the store the writer and the transactions of handlers take turns: of those only one at a time may wait beside the writer, so
 * that heartbeats wait for one of them at the most, however many handlers there are.
 */
public final class WriteLock {

    /** While a lock was held longer than this, other workers could not write their heartbeats. */
    static final Duration LONG_WAIT = Duration.ofSeconds(1);

    private static final long FIRST_PAUSE = 100_000;
    private static final long LONGEST_PAUSE = 2_000_000;

    // How soon a writer that waits for its turn notices that the store is closed.
    private static final Duration TURN = Duration.ofMillis(100);

    private final DatabaseFile file;
    private final FileClock clock;
    private final Duration limit;
    private final Hints hints;

    private final Semaphore handlers = new Semaphore(1, true);
    private final Semaphore turns = new Semaphore(1, true);
    private volatile @Nullable Thread handler;
    private volatile boolean writerWaits;

    WriteLock(DatabaseFile file, Duration limit, FileClock clock, Hints hints) {
        this.file = file;
        this.clock = clock;
        this.limit = limit;
        this.hints = hints;
    }

    /**
     * Begins a transaction of the writer; {@link #end} ends its turn. Waits here, because SQLite's own wait does not end when
     * the store is closed.
     *
     * @return how long that took, in milliseconds of the file's time
     */
    public long begin(Session session, BooleanSupplier closed) throws SQLException {
        long asked = clock.estimate();
        Waiting waiting = new Waiting(asked);
        while (!isMyTurn()) {
            waiting.check(closed.getAsBoolean());
        }
        try {
            while (!session.beginImmediate()) {
                waiting.check(closed.getAsBoolean());
                waiting.pause();
            }
            return clock.estimate() - asked;
        } catch (SQLException | RuntimeException | Error e) {
            turns.release();
            throw e;
        } finally {
            writerWaits = false;
        }
    }

    private boolean isMyTurn() {
        try {
            return turns.tryAcquire(TURN.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return false; // no other code has the writer's thread, so the interrupt means nothing
        }
    }

    /** Ends the turn that {@link #begin} began, after the commit or the rollback. */
    public void end() {
        turns.release();
    }

    boolean writerWaits() {
        return writerWaits;
    }

    /** Waits until no other handler's transaction is open in this store; {@link #leave} lets the next one in. */
    public void enter() throws InterruptedException {
        if (!handlers.tryAcquire(limit.toNanos(), TimeUnit.NANOSECONDS)) {
            throw locked(limit);
        }
        handler = Thread.currentThread();
    }

    public void leave() {
        handler = null;
        handlers.release();
    }

    /** Begins the transaction of a handler that has entered; {@link #end} ends its turn. */
    public void begin(Session session) throws SQLException, InterruptedException {
        long began = System.nanoTime();
        if (!turns.tryAcquire(limit.toNanos(), TimeUnit.NANOSECONDS)) {
            throw locked(limit);
        }
        try {
            long pause = FIRST_PAUSE;
            while (!session.beginImmediate()) {
                if (System.nanoTime() - began > limit.toNanos()) {
                    throw locked(limit);
                }
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                LockSupport.parkNanos(pause);
                pause = Math.min(pause * 2, LONGEST_PAUSE);
            }
        } catch (SQLException | InterruptedException | RuntimeException | Error e) {
            turns.release();
            throw e;
        }
    }

    /** Whether the calling thread is inside a handler's transaction, and would wait for itself. */
    public boolean isHeldByCaller() {
        return Thread.currentThread().equals(handler);
    }

    private StoreUnavailable locked(Duration waited) {
        return new StoreUnavailable("The SQLite file \"" + file.path() + "\" was locked for " + waited.toSeconds()
                + " s: another program, or a handler in this one, keeps a transaction open on it. Try again, and find"
                + " that transaction.");
    }

    /** One wait of the writer. */
    private final class Waiting {

        private final long began = System.nanoTime();
        private long notifiedAt;
        private long pause = FIRST_PAUSE;

        Waiting(long now) {
            this.notifiedAt = now;
        }

        /** Fails after the limit; until then notifies other processes that this one cannot write its heartbeats. */
        void check(boolean closed) {
            long waited = System.nanoTime() - began;
            if (waited > (closed ? LONG_WAIT : limit).toNanos()) {
                throw locked(Duration.ofNanos(waited));
            }
            long now = clock.estimate();
            if (now - notifiedAt >= LONG_WAIT.toMillis()) {
                notifiedAt = now;
                hints.kept(now);
            }
            writerWaits = true;
        }

        void pause() {
            LockSupport.parkNanos(pause);
            pause = Math.min(pause * 2, LONGEST_PAUSE);
        }
    }
}
