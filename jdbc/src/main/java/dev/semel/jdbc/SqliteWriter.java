package dev.semel.jdbc;

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
import org.sqlite.SQLiteErrorCode;

/**
 * The one thread that writes. It takes the write lock, then everything that is wanted at that moment, does it in one
 * transaction, and answers after the commit: callers share the cost of making things durable.
 *
 * <p>Nothing waits for a group to fill: the first wish goes at once, those that come while it is under way are the next
 * group. If one wish of a group fails, the group is undone and its wishes are done one by one, so that only the guilty one
 * fails.
 *
 * <p>The thread never ends before the store is closed: whatever a round throws, memory that ran out included, is the answer to
 * those who wait for that round, and the next round begins with a connection of its own. So it makes beforehand what it needs
 * to answer.
 */
final class SqliteWriter implements AutoCloseable {

    // Wishes that wait at most; then callers wait for a place, which is what pushes back.
    private static final int MOST_WISHES = 4_096;

    // Tasks and moves of one transaction, about: some tens of milliseconds, so that nobody waits long for a place in
    // the next.
    private static final int MOST_WEIGHT = 5_000;

    // For this long after a lock was let go that was held for long, no lease counts as run out: whoever was kept from
    // its heartbeats comes first.
    private static final Duration GRACE = Duration.ofSeconds(3);

    /** Refuses the version of the tables in the file, if this program cannot work on it. */
    interface SchemaCheck {
        void check(SqliteSession session) throws SQLException;
    }

    /** An operation, run in a transaction; run again if the group that it was part of failed. */
    interface Work<T> {
        T run(SqliteTransaction tx, SqliteSession session) throws SQLException;
    }

    private static final class Wish<T> {

        private final Work<T> work;
        private final int weight;
        private final boolean heartbeat;
        private final Answer<T> answer = new Answer<>();
        private @Nullable T result;

        Wish(Work<T> work, int weight, boolean heartbeat) {
            this.work = work;
            this.weight = weight;
            this.heartbeat = heartbeat;
        }

        void run(SqliteTransaction tx, SqliteSession session) throws SQLException {
            result = work.run(tx, session);
        }

        void done() {
            answer.complete(result);
        }
    }

    private final SqliteFile file;
    private final SqliteClock clock;
    private final Duration lockLimit;
    private final SqliteHints hints;
    private final SqliteLock lock;
    private final SchemaCheck schema;
    private final LinkedBlockingQueue<Wish<?>> wishes = new LinkedBlockingQueue<>(MOST_WISHES);
    private final Thread thread;
    private volatile boolean closed;
    private final AtomicLong commits = new AtomicLong();

    private @Nullable SqliteSession session;
    private @Nullable SqliteNames names;
    private long leasesHeldUntil;

    /** What the writer of a store shares with the store's other parts. */
    record Parts(SqliteClock clock, SqliteHints hints, SqliteLock lock, SchemaCheck schema) {}

    SqliteWriter(SqliteFile file, SqliteSession session, SqliteSettings settings, Parts parts) {
        this.file = file;
        this.session = session;
        this.names = new SqliteNames(session);
        this.clock = parts.clock();
        this.lockLimit = settings.lockLimit();
        this.hints = parts.hints();
        this.lock = parts.lock();
        this.schema = parts.schema();
        // A platform thread: a call into SQLite pins the carrier of a virtual one for as long as the disk takes.
        this.thread = Thread.ofPlatform()
                .daemon()
                .name("semel-sqlite-writer " + file.path().getFileName())
                .unstarted(this::run);
        thread.start();
    }

    /**
     * Does an operation and waits for its commit.
     *
     * @param weight about how many tasks it touches, at least 1
     * @param heartbeat whether it only extends leases, and so goes first after a long wait
     */
    <T> T ask(int weight, boolean heartbeat, Work<T> work) {
        Wish<T> wish = new Wish<>(work, weight, heartbeat);
        try {
            if (closed) {
                throw closedStore();
            }
            file.health().require();
            if (lock.isHeldByCaller()) {
                throw new StoreUnavailable("The handler's transaction holds the only write lock of the SQLite file \""
                        + file.path()
                        + "\", so nothing else is written before it ends, but this was asked for inside of"
                        + " it. Submit by semel.joining(connection) there, and do all else before or after.");
            }
            if (!wishes.offer(wish) && !wishes.offer(wish, lockLimit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new StoreUnavailable("The SQLite file \"" + file.path() + "\" has " + MOST_WISHES
                        + " operations waiting and took no more for " + lockLimit.toSeconds() + " s. Try again later.");
            }
            if (closed && wishes.remove(wish)) {
                throw closedStore();
            }
            return wish.answer.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailable(
                    "This thread was interrupted while it waited for the SQLite file \"" + file.path()
                            + "\". Whether the operation was done is not known; send it again.",
                    e);
        } catch (ExecutionException e) {
            throw SqliteReaders.rethrown(file, e.getCause());
        }
    }

    /** How many operations wait for the next transaction; like the following, for tests that wait for it to happen. */
    int waiting() {
        return wishes.size();
    }

    boolean isWaitingForLock() {
        return lock.writerWaits();
    }

    /** When it was told to other processes that this one waits for a lock; 0 if never. */
    long wasKeptAt() {
        return hints.keptAt();
    }

    /** How many transactions were committed. */
    long commits() {
        return commits.get();
    }

    private StoreUnusable closedStore() {
        return new StoreUnusable(
                "The store on the SQLite file \"" + file.path() + "\" is closed. Open it again, or close it later.");
    }

    private void run() {
        List<Wish<?>> group = new ArrayList<>(MOST_WEIGHT + 1);
        while (!closed || !wishes.isEmpty()) {
            try {
                Wish<?> first = wishes.take();
                if (first.weight > 0) {
                    group.add(first);
                    round(group);
                }
            } catch (InterruptedException ignored) {
                // Nobody but this class has the thread, so nobody means it.
            } catch (Throwable e) {
                fail(group, e);
                // Met while it began, or while it was undone: the connection may never begin again. Not so if the lock
                // was held for too long by somebody else.
                if (!(e instanceof StoreUnavailable)) {
                    discard();
                }
            } finally {
                group.clear();
            }
        }
        for (Wish<?> late = wishes.poll(); late != null; late = wishes.poll()) {
            late.answer.fail(closedStore());
        }
        leave();
        discard();
    }

    /** Does one group, which has its first wish so far. */
    private void round(List<Wish<?>> group) throws SQLException {
        SqliteSession open = session();
        long waited = lock.begin(open, () -> closed);
        Throwable failure = null;
        try {
            long now = clock.estimate();
            drain(group);
            if (waited >= SqliteLock.LONG_WAIT.toMillis()) {
                leasesHeldUntil = Math.max(leasesHeldUntil, now + Math.max(waited, GRACE.toMillis()));
                group.sort(Comparator.comparing((Wish<?> wish) -> !wish.heartbeat));
            }
            StoreNews news = transaction(open, group, false);
            group.forEach(Wish::done);
            hints.tell(news);
        } catch (Throwable e) {
            undo(open, e);
            failure = e;
        } finally {
            lock.end();
        }
        if (failure != null && group.size() == 1) {
            fail(group, failure);
        } else if (failure != null) {
            oneByOne(group);
        }
    }

    private StoreNews transaction(SqliteSession open, List<Wish<?>> group, boolean again) throws SQLException {
        SqliteNames known = names == null ? new SqliteNames(open) : names;
        names = known;
        file.health().require();
        boolean look = file.health().isLookDue();
        if (look) {
            checkSchema(open);
        }
        SqliteClock.Now time = clock.begin(open);
        long now = time.millis();
        SqliteTransaction tx = new SqliteTransaction(open, known, now, () -> leasesHeld(now), again);
        for (Wish<?> wish : group) {
            wish.run(tx, open);
        }
        clock.leased(open, tx.leasedUntil());
        open.commit();
        commits.incrementAndGet();
        acknowledgeable(time, look);
        return tx.news();
    }

    private void checkSchema(SqliteSession open) throws SQLException {
        try {
            schema.check(open);
        } catch (StoreUnusable e) {
            throw file.health().refuse(String.valueOf(e.getMessage()));
        }
    }

    /** Checks that what was committed is in a file that others can open, before anybody is told that it was done. */
    private void acknowledgeable(SqliteClock.Now time, boolean look) {
        SqliteHealth health = file.health();
        health.check();
        if (look) {
            health.look();
        }
        if (time.written()) {
            hints.committed(time.millis(), health.key());
        }
    }

    private void oneByOne(List<Wish<?>> group) {
        for (Wish<?> wish : group) {
            try {
                alone(session(), wish);
            } catch (Throwable e) {
                fail(List.of(wish), e);
            }
        }
    }

    private void alone(SqliteSession open, Wish<?> wish) throws SQLException {
        try {
            lock.begin(open, () -> closed);
            try {
                StoreNews news = transaction(open, List.of(wish), true);
                wish.done();
                hints.tell(news);
            } finally {
                lock.end();
            }
        } catch (Throwable e) {
            undo(open, e);
            throw e;
        }
    }

    private void drain(List<Wish<?>> group) {
        int weight = group.get(0).weight;
        while (weight < MOST_WEIGHT) {
            Wish<?> next = wishes.poll();
            if (next == null) {
                return;
            }
            if (next.weight > 0) {
                group.add(next);
                weight += next.weight;
            }
        }
    }

    /** Whether some process was kept from its heartbeats until a moment ago. */
    private boolean leasesHeld(long now) {
        return now < leasesHeldUntil || Math.abs(now - hints.keptAt()) < GRACE.toMillis();
    }

    private void undo(SqliteSession open, Throwable because) {
        boolean broken = isBroken(because);
        try {
            clock.rolledBack();
            open.rollback(because);
            if (because instanceof SQLException e) {
                file.health().note(e);
            }
            if (names != null) {
                names.forget();
            }
        } catch (Throwable e) {
            broken = true;
        }
        if (broken) {
            discard();
        }
    }

    /** Whether a connection that met this is better opened anew. */
    private static boolean isBroken(Throwable because) {
        if (!(because instanceof SQLException e)) {
            return because instanceof Error;
        }
        int code = SqliteErrors.primary(e);
        return code != SQLiteErrorCode.SQLITE_FULL.code
                && code != SQLiteErrorCode.SQLITE_BUSY.code
                && code != SQLiteErrorCode.SQLITE_CONSTRAINT.code;
    }

    private SqliteSession session() throws SQLException {
        SqliteSession open = session;
        if (open == null) {
            open = file.openWriter(false);
            file.health().reconnected();
            session = open;
            names = new SqliteNames(open);
        }
        return open;
    }

    /** Takes back that this process is at work on the file, so that its clock counts no more. */
    private void leave() {
        SqliteSession open = session;
        if (open == null || !clock.isPresent()) {
            return;
        }
        try {
            // Without waiting: what cannot be taken back runs out by itself.
            if (open.beginImmediate()) {
                clock.leave(open);
                open.commit();
            }
        } catch (SQLException e) {
            open.rollback(e);
            SqliteReaders.LOG.debug("The SQLite file \"{}\" still names this process as one at work", file.path(), e);
        }
    }

    private void discard() {
        SqliteSession open = session;
        session = null;
        names = null;
        if (open != null) {
            SqliteReaders.close(open, file.path());
        }
    }

    private static void fail(List<Wish<?>> group, Throwable because) {
        for (int i = 0; i < group.size(); i++) {
            group.get(i).answer.fail(because);
        }
    }

    /** Finishes what was asked for so far, and ends. */
    @Override
    public void close() {
        closed = true;
        // Weighs nothing, so it is not done, but it wakes up a writer that has nothing to do. A full queue does so by
        // itself.
        wishes.offer(new Wish<>((tx, open) -> true, 0, false));
        SqliteReaders.join(thread);
    }
}
