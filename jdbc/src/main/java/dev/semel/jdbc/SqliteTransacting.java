package dev.semel.jdbc;

import dev.semel.store.Applied;
import dev.semel.store.TransactingStore.Work;
import dev.semel.store.Transition;
import dev.semel.task.InvalidInput;
import dev.semel.task.Lease;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.sqlite.ProgressHandler;
import org.sqlite.SQLiteCommitListener;
import org.sqlite.SQLiteErrorCode;

/**
 * Completing tasks in one transaction with the writes of their handlers.
 *
 * <p>Such a transaction has a connection of its own, opened for it alone, so that nothing that a handler sets there stays. It
 * holds SQLite's only write lock from its beginning, so that what it reads is still true when it writes; until its end nobody
 * else writes, neither this store's writer nor another process. It runs on the handler's own thread. That it holds the carrier
 * of a virtual thread while it commits does little harm, because only one is open at a time.
 */
final class SqliteTransacting implements AutoCloseable {

    private static final String RUNS = "SELECT attempt = ?2 AND state = 'running' FROM semel_task WHERE id = ?1";

    // How often SQLite asks whether to go on with a statement, in steps of its own: about once in a millisecond.
    private static final int STEPS = 100_000;

    private final SqliteFile file;
    private final SqliteSettings settings;
    private final SqliteClock clock;
    private final SqliteHints hints;
    private final SqliteLock lock;

    // Held while a transaction commits, so that the store is closed either before that or after it.
    private final ReentrantLock ending = new ReentrantLock();
    private @Nullable SqliteSession open;
    private volatile boolean closed;

    SqliteTransacting(SqliteFile file, SqliteSettings settings, SqliteClock clock, SqliteHints hints, SqliteLock lock) {
        this.file = file;
        this.settings = settings;
        this.clock = clock;
        this.hints = hints;
        this.lock = lock;
    }

    Applied complete(Lease lease, Work work) throws Exception {
        if (lock.isHeldByCaller()) {
            throw new InvalidInput("A handler has one transaction, but it began another one inside of it.");
        }
        waiting(lock::enter);
        try {
            SqliteSession session = opened();
            try {
                waiting(() -> {
                    ProgressHandler.setHandler(session.connection(), STEPS, new Stop());
                    if (settings.foreignKeys()) {
                        SqliteFile.pragma(session, "PRAGMA foreign_keys = 1");
                    }
                    lock.begin(session);
                });
                try {
                    return inTransaction(session, lease, work);
                } finally {
                    // Rolls back what is not committed, and before the writer has its turn.
                    close(session);
                    lock.end();
                }
            } finally {
                close(session);
            }
        } finally {
            lock.leave();
        }
    }

    private Applied inTransaction(SqliteSession session, Lease lease, Work work) throws Exception {
        Applied standing = standing(session, lease);
        if (standing != Applied.APPLIED) {
            return standing;
        }
        Watch watch = new Watch();
        session.connection().addCommitListener(watch);
        String result;
        try (HandlersConnection handlers =
                new HandlersConnection(session.connection(), watch, SqliteErrors::isOfFile)) {
            try {
                result = work.run(handlers.connection());
            } catch (Exception e) {
                SQLException failure = handlers.failureBehind(e);
                if (failure == null && !(e instanceof SQLException)) {
                    throw e;
                }
                // Closing cuts off a statement that runs, in one of several ways.
                requireOpen();
                throw failure == null ? e : SqliteErrors.translated(file.path(), failure);
            }
            requireOpen();
            SQLException caught = handlers.failure();
            if (watch.rolledBack && caught != null) {
                throw SqliteErrors.translated(file.path(), caught);
            }
        }
        watch.check();
        SqliteTransaction tx;
        try {
            tx = new SqliteTransaction(session, new SqliteNames(session), clock.advance(session), () -> false, false);
            Applied answer = new SqliteMoves(tx, session)
                    .apply(List.of(new Transition.Complete(lease, result)))
                    .getFirst();
            if (answer != Applied.APPLIED) {
                return answer;
            }
        } catch (SQLException e) {
            throw file.health().translated(e);
        }
        commit(session);
        hints.tell(tx.news());
        return Applied.APPLIED;
    }

    /**
     * Whether the attempt runs. This holds until the end, because nobody else writes. It is asked before the handler's writes,
     * also because a completion that was committed before would be answered as applied once more, and the writes done twice.
     */
    private Applied standing(SqliteSession session, Lease lease) {
        try (ResultSet row =
                session.sql(RUNS).with(lease.taskId()).with(lease.attempt()).query()) {
            return !row.next() ? Applied.NOT_FOUND : row.getBoolean(1) ? Applied.APPLIED : Applied.STALE;
        } catch (SQLException e) {
            throw file.health().translated(e);
        }
    }

    private void commit(SqliteSession session) throws SQLException {
        ending.lock();
        try {
            requireOpen();
            session.commit();
            file.health().check();
        } catch (SQLException e) {
            if (SqliteErrors.primary(e) == SQLiteErrorCode.SQLITE_CONSTRAINT.code) {
                throw e; // a deferred constraint of the handler's own tables; SQLite has committed nothing
            }
            throw new StoreUnavailable(
                    "The SQLite file \"" + file.path() + "\" did not answer a commit (" + SqliteErrors.refined(e)
                            + "). Whether the handler's writes and the completion of its task were stored is not known;"
                            + " either both were or neither.",
                    e);
        } finally {
            ending.unlock();
        }
    }

    private SqliteSession opened() {
        ending.lock();
        try {
            requireOpen();
            SqliteSession session = file.openWriter(false);
            open = session;
            return session;
        } catch (SQLException e) {
            throw file.health().translated(e);
        } finally {
            ending.unlock();
        }
    }

    private void requireOpen() {
        ending.lock();
        try {
            if (closed) {
                throw new StoreUnusable(
                        "The store on the SQLite file \"" + file.path()
                                + "\" is closed, so the handler's transaction was rolled back. Open it again, or close it later.");
            }
        } finally {
            ending.unlock();
        }
    }

    private void close(SqliteSession session) {
        ending.lock();
        try {
            open = null;
            session.close();
        } catch (SQLException e) {
            SqliteReaders.LOG.warn("Closing a connection to the SQLite file \"{}\" failed", file.path(), e);
        } finally {
            ending.unlock();
        }
    }

    /** Ends a statement that the handler is in the middle of when the store is closed. */
    private final class Stop extends ProgressHandler {
        @Override
        protected int progress() {
            return closed ? 1 : 0;
        }
    }

    private interface Wait {
        void run() throws SQLException, InterruptedException;
    }

    private void waiting(Wait wait) {
        try {
            wait.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailable(
                    "This thread was interrupted while it waited for the SQLite file \"" + file.path()
                            + "\". The transaction has not begun.",
                    e);
        } catch (SQLException e) {
            throw file.health().translated(e);
        }
    }

    /** Sees a transaction end that should not: by the handler's own SQL, or by an error after which SQLite rolls back. */
    private static final class Watch implements SQLiteCommitListener, HandlersConnection.Over {

        private volatile boolean committed;
        private volatile boolean rolledBack;

        @Override
        public void onCommit() {
            committed = true;
        }

        @Override
        public void onRollback() {
            rolledBack = true;
        }

        @Override
        public @Nullable String reason() {
            if (committed) {
                return "The transaction of a handler ends with its task, but the handler has committed it before. What it"
                        + " wrote stays, and its task is not completed. Leave the commit out.";
            }
            return rolledBack
                    ? "The transaction of the handler was rolled back, by the handler or by SQLite after an error. Nothing"
                            + " was written, and the task is not completed."
                    : null;
        }

        void check() {
            String reason = reason();
            if (reason != null) {
                throw new InvalidInput(reason);
            }
        }
    }

    /** Rolls back the transaction that is open, so that nobody waits for a store that is closed. */
    @Override
    public void close() {
        ending.lock();
        try {
            closed = true;
            SqliteSession session = open;
            if (session != null) {
                session.connection().close();
            }
        } catch (SQLException e) {
            SqliteReaders.LOG.warn("Closing a connection to the SQLite file \"{}\" failed", file.path(), e);
        } finally {
            ending.unlock();
        }
    }
}
