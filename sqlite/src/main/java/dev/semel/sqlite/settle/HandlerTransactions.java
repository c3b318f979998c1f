package dev.semel.sqlite.settle;

import dev.semel.jdbc.HandlersConnection;
import dev.semel.sqlite.file.DatabaseFile;
import dev.semel.sqlite.hint.Hints;
import dev.semel.sqlite.sql.ErrorTranslator;
import dev.semel.sqlite.sql.Session;
import dev.semel.sqlite.table.TaskRow;
import dev.semel.sqlite.time.FileClock;
import dev.semel.sqlite.transaction.Catalog;
import dev.semel.sqlite.transaction.Database;
import dev.semel.sqlite.transaction.Transaction;
import dev.semel.sqlite.transaction.WriteLock;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Transacting.Work;
import dev.semel.task.InvalidInput;
import dev.semel.task.Lease;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.ProgressHandler;
import org.sqlite.SQLiteCommitListener;
import org.sqlite.SQLiteErrorCode;

/**
 * Completions of tasks in one transaction with the writes of their handlers.
 *
 * <p>Such a transaction has a connection of its own, opened for it alone, so that no setting that a handler makes there
 * stays. It holds SQLite's only write lock from its beginning, so that what it reads is still true when it writes; until its
 * end neither this store's writer nor another process can write. It runs on the handler's own thread. That it holds the
 * carrier of a virtual thread while it commits does little harm, because only one is open at a time.
 */
public final class HandlerTransactions implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(HandlerTransactions.class);

    // How often SQLite checks whether to continue with a statement, in steps of its own: about once in a millisecond.
    private static final int STEPS = 100_000;

    private final DatabaseFile file;
    private final boolean foreignKeys;
    private final FileClock clock;
    private final Hints hints;
    private final WriteLock lock;

    // Held while a transaction commits, so that the store is closed either before that or after it.
    private final ReentrantLock ending = new ReentrantLock();
    private @Nullable Session open;
    private volatile boolean closed;

    public HandlerTransactions(Database database, boolean foreignKeys) {
        this.file = database.file();
        this.foreignKeys = foreignKeys;
        this.clock = database.clock();
        this.hints = database.hints();
        this.lock = database.lock();
    }

    public Settled complete(Lease lease, Work work) throws Exception {
        if (lock.isHeldByCaller()) {
            throw new InvalidInput(
                    "A handler has one transaction, but it began another one inside it. Use the connection that it has.");
        }
        waiting(lock::enter);
        try {
            Session session = opened();
            try {
                waiting(() -> {
                    ProgressHandler.setHandler(session.connection(), STEPS, new Stop());
                    if (foreignKeys) {
                        DatabaseFile.pragma(session, "PRAGMA foreign_keys = 1");
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

    private Settled inTransaction(Session session, Lease lease, Work work) throws Exception {
        Settled standing = standing(session, lease);
        if (standing != Settled.APPLIED) {
            return standing;
        }
        Watch watch = new Watch();
        session.connection().addCommitListener(watch);
        String result;
        try (HandlersConnection handlers =
                new HandlersConnection(session.connection(), watch, ErrorTranslator::isOfFile)) {
            try {
                result = work.run(handlers.connection());
            } catch (Exception e) {
                SQLException failure = handlers.failureBehind(e);
                if (failure == null && !(e instanceof SQLException)) {
                    throw e;
                }
                // Closing the store ends a running statement with one of several errors.
                requireOpen();
                throw failure == null ? e : ErrorTranslator.translated(file.path(), failure);
            }
            requireOpen();
            SQLException caught = handlers.failure();
            if (watch.rolledBack && caught != null) {
                throw ErrorTranslator.translated(file.path(), caught);
            }
        }
        watch.check();
        Transaction tx;
        try {
            tx = new Transaction(new Catalog(session), clock.advance(session), () -> false, false);
            Settled answer = new Settlements(tx)
                    .settle(List.of(new Settlement.Complete(lease, result)))
                    .getFirst();
            if (answer != Settled.APPLIED) {
                return answer;
            }
        } catch (SQLException e) {
            throw file.health().translated(e);
        }
        commit(session);
        hints.notifyOf(tx.news());
        return Settled.APPLIED;
    }

    /**
     * Whether the attempt runs. The answer holds until the end, because no other connection writes. It is read before the
     * handler's writes, also because a completion that was committed before would be answered as applied once more, and the
     * writes done twice.
     */
    private Settled standing(Session session, Lease lease) {
        try {
            return TaskRow.standing(session, lease.attemptId());
        } catch (SQLException e) {
            throw file.health().translated(e);
        }
    }

    private void commit(Session session) throws SQLException {
        ending.lock();
        try {
            requireOpen();
            session.commit();
            file.health().check();
        } catch (SQLException e) {
            if (ErrorTranslator.primary(e) == SQLiteErrorCode.SQLITE_CONSTRAINT.code) {
                throw e; // a deferred constraint of the handler's own tables; SQLite has committed nothing
            }
            throw new StoreUnavailable(
                    "The SQLite file \"" + file.path() + "\" did not answer a commit (" + ErrorTranslator.refined(e)
                            + "). Whether the handler's writes and the completion of its task were stored is not known;"
                            + " either both were or neither.",
                    e);
        } finally {
            ending.unlock();
        }
    }

    private Session opened() {
        ending.lock();
        try {
            requireOpen();
            Session session = file.openWriter(false);
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

    private void close(Session session) {
        ending.lock();
        try {
            open = null;
            session.close();
        } catch (SQLException e) {
            LOG.warn("Connection not closed: file=\"{}\"", file.path(), e);
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

    /** Notices that a transaction ended too early: by the handler's own SQL, or by an error after which SQLite rolls back. */
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

    /** Rolls back the transaction that is open, so that no caller waits for a store that is closed. */
    @Override
    public void close() {
        ending.lock();
        try {
            closed = true;
            Session session = open;
            if (session != null) {
                session.connection().close();
            }
        } catch (SQLException e) {
            LOG.warn("Connection not closed: file=\"{}\"", file.path(), e);
        } finally {
            ending.unlock();
        }
    }
}
