package dev.semel.jdbc;

import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.store.Submitting;
import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnavailable;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.sqlite.SQLiteCommitListener;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteErrorCode;

/**
 * Submitting inside transactions of callers.
 *
 * <p>Such a transaction holds SQLite's only write lock from its first submission to its end, and all heartbeats of all
 * processes wait for that. So it has a limit, and the writer takes no expired leases after it had to wait long.
 */
final class SqliteJoining {

    private static final String SAVEPOINT = "SAVEPOINT semel_submit";
    private static final String RELEASE = "RELEASE semel_submit";
    private static final String UNDO = "ROLLBACK TO semel_submit";

    // Changes nothing, but takes the write lock before anything is read: a transaction that has read and then wants to
    // write
    // fails at once if somebody else has written in between.
    private static final String LOCK = "DELETE FROM semel_lane WHERE 0";

    private final SqliteFile file;
    private final SqliteSettings settings;
    private final SqliteClock clock;
    private final SqliteHints hints;

    // Weak, because the caller's pool decides how long a connection lives. A listener stays with its connection: it
    // cannot be
    // removed from within a commit, and afterwards the connection may be closed already.
    private final Map<SQLiteConnection, Joined> joined = Collections.synchronizedMap(new WeakHashMap<>());

    SqliteJoining(SqliteFile file, SqliteSettings settings, SqliteClock clock, SqliteHints hints) {
        this.file = file;
        this.settings = settings;
        this.clock = clock;
        this.hints = hints;
    }

    Submitting with(Connection connection) {
        SQLiteConnection sqlite = checked(connection);
        return batch -> submit(sqlite, SqliteTaskStore.checked(batch));
    }

    /** The SQLite connection inside a connection with an open transaction on this file, or an answer why it is none. */
    SQLiteConnection checked(Connection connection) {
        SQLiteConnection sqlite = unwrapped(connection);
        try {
            checkTransaction(sqlite);
            if (!file.isOpenedBy(sqlite)) {
                throw new InvalidInput("A joined transaction is one on the SQLite file \"" + file.path()
                        + "\", but got a connection to \"" + sqlite.getUrl()
                        + "\". Take a connection to the same file.");
            }
        } catch (SQLException e) {
            throw file.health().translated(e);
        }
        return sqlite;
    }

    private SQLiteConnection unwrapped(Connection connection) {
        try {
            if (connection instanceof SQLiteConnection sqlite) {
                return sqlite;
            }
            return connection.unwrap(SQLiteConnection.class);
        } catch (SQLException | ClassCastException e) {
            throw new InvalidInput(
                    "A joined transaction is one on the SQLite file \"" + file.path() + "\", but got a connection of \""
                            + connection.getClass().getName() + "\", which gives out no SQLite connection.",
                    e);
        }
    }

    private static void checkTransaction(SQLiteConnection connection) throws SQLException {
        if (connection.isClosed()) {
            throw new InvalidInput("A joined transaction is an open one, but the connection is closed.");
        }
        if (connection.getAutoCommit()) {
            throw new InvalidInput(
                    "A joined transaction is one that the caller ends, but the connection has auto-commit"
                            + " on. Call setAutoCommit(false) first, and commit() at the end.");
        }
    }

    private List<Submitted> submit(SQLiteConnection connection, List<NewTask> batch) {
        SqliteSession session = new SqliteSession(connection);
        try {
            checkTransaction(connection);
            checkFile();
            Joined transaction = joined.computeIfAbsent(connection, Joined::new);
            checkLimit(transaction, clock.estimate());
            session.sql(SAVEPOINT).update();
            try {
                session.sql(LOCK).update();
                long now = clock.advance(session);
                SqliteTransaction tx =
                        new SqliteTransaction(session, new SqliteNames(session), now, () -> false, false);
                List<Submitted> answers = new SqliteSubmissions(tx, session).submit(batch);
                session.sql(RELEASE).update();
                transaction.submitted(now, tx.news());
                return answers;
            } catch (SQLException | RuntimeException e) {
                undo(session, e);
                throw e;
            }
        } catch (SQLException e) {
            throw explained(e);
        } finally {
            session.forget();
        }
    }

    private void checkLimit(Joined transaction, long now) {
        long since = transaction.since();
        if (since >= 0 && now - since > settings.joinedLimit().toMillis()) {
            throw new StoreUnavailable("A joined transaction takes submissions for "
                    + settings.joinedLimit().toMillis() + " ms, but this one had its first " + (now - since)
                    + " ms ago. It holds the only write lock of the SQLite file \"" + file.path()
                    + "\", and the heartbeats of all workers wait for that. Commit it or roll it back, and make such"
                    + " transactions shorter.");
        }
    }

    /** Refuses to go on with a file that cannot be relied on any more. */
    void checkFile() {
        file.health().check();
    }

    RuntimeException explained(SQLException e) {
        if (SqliteErrors.refined(e) == SQLiteErrorCode.SQLITE_BUSY_SNAPSHOT) {
            return new StoreUnavailable(
                    "This transaction has read the SQLite file \"" + file.path()
                            + "\", and somebody else has written to it"
                            + " since, so it cannot write any more. Roll it back and run it again; begin it with"
                            + " \"transaction_mode=IMMEDIATE\" to avoid that.",
                    e);
        }
        return file.health().translated(e);
    }

    /** Takes back what a batch did so far, and nothing of what the caller did before. */
    private static void undo(SqliteSession session, Exception because) {
        session.forget();
        try {
            session.sql(UNDO).update();
            session.sql(RELEASE).update();
        } catch (SQLException e) {
            // SQLite has rolled the whole transaction back, as it does when the disk is full; the caller's commit will
            // fail.
            because.addSuppressed(e);
        }
    }

    /** The submissions of the transaction that a connection has open. */
    private final class Joined implements SQLiteCommitListener {

        private long since = -1;
        private StoreNews news = new StoreNews();

        Joined(SQLiteConnection connection) {
            connection.addCommitListener(this);
        }

        synchronized long since() {
            return since;
        }

        synchronized void submitted(long now, StoreNews more) {
            since = since < 0 ? now : since;
            news.add(more);
        }

        @Override
        public synchronized void onCommit() {
            if (since >= 0) {
                hints.tellSoon(news);
            }
            onRollback();
        }

        @Override
        public synchronized void onRollback() {
            since = -1;
            news = new StoreNews();
        }
    }
}
