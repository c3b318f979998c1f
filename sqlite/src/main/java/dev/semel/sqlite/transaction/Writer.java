package dev.semel.sqlite.transaction;

import dev.semel.sqlite.file.DatabaseFile;
import dev.semel.sqlite.file.FileHealth;
import dev.semel.sqlite.file.StoreThreads;
import dev.semel.sqlite.hint.Hints;
import dev.semel.sqlite.sql.ErrorTranslator;
import dev.semel.sqlite.sql.Session;
import dev.semel.sqlite.time.FileClock;
import dev.semel.store.StoreNews;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteErrorCode;

/**
 * The one thread that writes. It takes the write lock, then all operations that wait at that moment, executes them in one
 * transaction, and answers after the commit: callers share the cost of a durable commit.
 *
 * <p>No operation waits for a group to fill: the first one is executed at once, those that arrive meanwhile are the next
 * group. If one operation of a group fails, the group is rolled back and its operations are executed one by one, so that only
 * the faulty one fails.
 *
 * <p>The thread never ends before the store is closed: whatever a round throws, memory that ran out included, is the answer
 * to those who wait for that round, and the next round begins with a connection of its own. So it allocates beforehand what
 * it needs to answer.
 */
public final class Writer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Writer.class);

    // Operations that wait at most; then callers wait for a place, which is the back-pressure.
    private static final int MOST_CALLS = 4_096;

    // Tasks and settlements of one transaction, about: some tens of milliseconds, so that no caller waits long for the
    // next.
    private static final int MOST_WEIGHT = 5_000;

    // The same where a transaction becomes one object of a log: with inputs of 1 kB it has about 3 MB, and a process
    // that was slower reads it all before it can go on.
    private static final int MOST_GATED_WEIGHT = 2_000;

    // For this long after a lock that was held for long was released no lease counts as expired: workers that could not
    // write their heartbeats come first.
    private static final Duration GRACE = Duration.ofSeconds(3);

    /** The check that this program can work on the version of the tables in the file. */
    interface SchemaCheck {
        void check(Session session) throws SQLException;
    }

    private final DatabaseFile file;
    private final FileClock clock;
    private final Duration lockLimit;
    private final Hints hints;
    private final WriteLock lock;
    private final SchemaCheck schema;
    private final @Nullable GatedTransactions gated;
    private final LinkedBlockingQueue<Call<?>> calls = new LinkedBlockingQueue<>(MOST_CALLS);
    private final Thread thread;
    private volatile boolean closed;
    private final AtomicLong commits = new AtomicLong();

    private @Nullable Catalog catalog;
    private long leasesHeldUntil;

    /**
     * What the writer of a store shares with the store's other parts.
     *
     * @param gated what executes operations on a file that is a copy; null for every other file
     */
    record Parts(
            FileClock clock,
            Hints hints,
            WriteLock lock,
            SchemaCheck schema,
            @Nullable GatedTransactions gated) {}

    Writer(DatabaseFile file, Session session, Duration lockLimit, Parts parts) {
        this.file = file;
        this.catalog = new Catalog(session);
        this.clock = parts.clock();
        this.lockLimit = lockLimit;
        this.hints = parts.hints();
        this.lock = parts.lock();
        this.schema = parts.schema();
        this.gated = parts.gated();
        this.thread = StoreThreads.start("writer", file.path(), this::run);
    }

    /**
     * Executes an operation and waits for its commit.
     *
     * @param weight about how many tasks it touches, at least 1
     */
    public <T> T ask(int weight, Work<T> work) {
        return answer(new Call<>(work, weight, false));
    }

    /** Executes an operation that only extends leases, and so is the first after a long wait for the lock. */
    public <T> T heartbeat(int weight, Work<T> work) {
        return answer(new Call<>(work, weight, true));
    }

    void requireOpen() {
        if (closed) {
            throw file.closedStore();
        }
    }

    private <T> T answer(Call<T> call) {
        try {
            requireOpen();
            file.health().require();
            if (lock.isHeldByCaller()) {
                throw new StoreUnavailable("The handler's transaction holds the only write lock of the SQLite file \""
                        + file.path()
                        + "\", so nothing else is written before it ends, but this was called inside"
                        + " it. Submit by semel.joining(connection) there, and do all else before or after.");
            }
            if (!calls.offer(call) && !calls.offer(call, lockLimit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new StoreUnavailable("The SQLite file \"" + file.path() + "\" has " + MOST_CALLS
                        + " operations waiting and took no more for " + lockLimit.toSeconds() + " s. Try again later.");
            }
            if (closed && calls.remove(call)) {
                throw file.closedStore();
            }
            return call.answer().get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailable(
                    "This thread was interrupted while it waited for the SQLite file \"" + file.path()
                            + "\". Whether the operation was done is not known; send it again.",
                    e);
        } catch (ExecutionException e) {
            throw file.health().rethrown(e.getCause());
        }
    }

    /** How many operations wait for the next transaction; like the following, for tests that wait for it to happen. */
    public int waiting() {
        return calls.size();
    }

    public boolean isWaitingForLock() {
        return lock.writerWaits();
    }

    /** When a process last recorded that it waits for the lock; 0 if never. */
    public long wasKeptAt() {
        return hints.keptAt();
    }

    /** How many transactions were committed. */
    public long commits() {
        return commits.get();
    }

    private void run() {
        List<Call<?>> group = new ArrayList<>(MOST_WEIGHT + 1);
        while (!closed || !calls.isEmpty()) {
            try {
                Call<?> first = calls.take();
                if (first.weight() > 0) {
                    group.add(first);
                    round(group);
                }
            } catch (InterruptedException ignored) {
                // No other code has the thread, so the interrupt means nothing.
            } catch (Throwable e) {
                fail(group, e);
                // Thrown by its beginning or its rollback: the connection may never begin again. Not so if another
                // connection held the lock for too long.
                if (!(e instanceof StoreUnavailable)) {
                    discard();
                }
            } finally {
                group.clear();
            }
        }
        for (Call<?> late = calls.poll(); late != null; late = calls.poll()) {
            late.answer().fail(file.closedStore());
        }
        leave();
        discard();
    }

    /** Executes one group, which has its first operation so far. */
    private void round(List<Call<?>> group) throws SQLException {
        Catalog open = catalog();
        long waited = lock.begin(open.session(), () -> closed);
        Throwable failure = null;
        try {
            long now = clock.estimate();
            drain(group);
            if (waited >= WriteLock.LONG_WAIT.toMillis()) {
                leasesHeldUntil = Math.max(leasesHeldUntil, now + Math.max(waited, GRACE.toMillis()));
                group.sort(Comparator.comparing((Call<?> call) -> !call.isHeartbeat()));
            }
            StoreNews news = gated == null ? transaction(open, group, false) : admitted(gated, open, group);
            group.forEach(Call::done);
            hints.notifyOf(news);
        } catch (Throwable e) {
            undo(open, e);
            failure = e;
        } finally {
            lock.end();
        }
        if (failure != null && (group.size() == 1 || gated != null)) {
            fail(group, failure);
        } else if (failure != null) {
            oneByOne(group);
        }
    }

    private StoreNews transaction(Catalog known, List<Call<?>> group, boolean again) throws SQLException {
        Session open = known.session();
        file.health().require();
        boolean look = file.health().isLookDue();
        if (look) {
            checkSchema(open);
        }
        FileClock.Now time = clock.begin(open);
        long now = time.millis();
        Transaction tx = new Transaction(known, now, () -> leasesHeld(now), again);
        for (Call<?> call : group) {
            call.run(tx);
        }
        clock.leased(open, tx.leasedUntil());
        open.commit();
        commits.incrementAndGet();
        acknowledgeable(time, look);
        return tx.news();
    }

    private StoreNews admitted(GatedTransactions gate, Catalog known, List<Call<?>> group) throws SQLException {
        StoreNews news = gate.execute(known, group, this::drain, this::leasesHeld);
        commits.incrementAndGet();
        return news;
    }

    private void checkSchema(Session open) throws SQLException {
        try {
            schema.check(open);
        } catch (StoreUnusable e) {
            throw file.health().refuse(String.valueOf(e.getMessage()));
        }
    }

    /** Checks that what was committed is in a file that others can open, before any caller gets an answer. */
    private void acknowledgeable(FileClock.Now time, boolean look) {
        FileHealth health = file.health();
        health.check();
        if (look) {
            health.look();
        }
        if (time.written()) {
            hints.committed(time.millis(), health.key());
        }
    }

    private void oneByOne(List<Call<?>> group) {
        for (Call<?> call : group) {
            try {
                alone(catalog(), call);
            } catch (Throwable e) {
                fail(List.of(call), e);
            }
        }
    }

    private void alone(Catalog open, Call<?> call) throws SQLException {
        try {
            lock.begin(open.session(), () -> closed);
            try {
                StoreNews news = transaction(open, List.of(call), true);
                call.done();
                hints.notifyOf(news);
            } finally {
                lock.end();
            }
        } catch (Throwable e) {
            undo(open, e);
            throw e;
        }
    }

    private void drain(List<Call<?>> group) {
        int weight = 0;
        for (Call<?> call : group) {
            weight += call.weight();
        }
        int most = gated == null ? MOST_WEIGHT : MOST_GATED_WEIGHT;
        while (weight < most) {
            Call<?> next = calls.poll();
            if (next == null) {
                return;
            }
            if (next.weight() > 0) {
                group.add(next);
                weight += next.weight();
            }
        }
    }

    /** Whether some process could not write its heartbeats until a moment ago. */
    private boolean leasesHeld(long now) {
        return now < leasesHeldUntil || Math.abs(now - hints.keptAt()) < GRACE.toMillis();
    }

    private void undo(Catalog open, Throwable because) {
        boolean broken = isBroken(because);
        try {
            clock.rolledBack();
            open.session().rollback(because);
            if (because instanceof SQLException e) {
                file.health().note(e);
            }
            open.forget();
            if (gated != null) {
                gated.rolledBack();
            }
        } catch (Throwable e) {
            broken = true;
        }
        if (broken) {
            discard();
        }
    }

    /** Whether a connection is better opened again after this failure. */
    private static boolean isBroken(Throwable because) {
        if (!(because instanceof SQLException e)) {
            return because instanceof Error;
        }
        int code = ErrorTranslator.primary(e);
        return code != SQLiteErrorCode.SQLITE_FULL.code
                && code != SQLiteErrorCode.SQLITE_BUSY.code
                && code != SQLiteErrorCode.SQLITE_CONSTRAINT.code;
    }

    private Catalog catalog() throws SQLException {
        Catalog open = catalog;
        if (open == null) {
            Session session = file.openWriter(false);
            if (gated != null) {
                gated.attach(session);
            }
            open = new Catalog(session);
            file.health().reconnected();
            catalog = open;
        }
        return open;
    }

    /** Removes the entry that this process is at work on the file, so that its clock no longer counts. */
    private void leave() {
        if (catalog == null || !clock.isPresent()) {
            return;
        }
        Session open = catalog.session();
        try {
            // Without waiting: an entry that stays expires by itself.
            if (open.beginImmediate()) {
                clock.leave(open);
                open.commit();
            }
        } catch (SQLException e) {
            open.rollback(e);
            LOG.debug("Process entry not removed: file=\"{}\"", file.path(), e);
        }
    }

    private void discard() {
        Catalog open = catalog;
        catalog = null;
        if (open != null) {
            file.close(open.session());
        }
    }

    private static void fail(List<Call<?>> group, Throwable because) {
        for (int i = 0; i < group.size(); i++) {
            group.get(i).answer().fail(because);
        }
    }

    /** Executes the operations that wait, and ends. */
    @Override
    public void close() {
        closed = true;
        // Weighs nothing, so it is not executed, but it wakes a writer that has nothing to do. A full queue does so by
        // itself.
        calls.offer(new Call<>(tx -> true, 0, false));
        StoreThreads.join(thread);
    }
}
