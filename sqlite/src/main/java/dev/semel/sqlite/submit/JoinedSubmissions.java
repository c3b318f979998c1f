package dev.semel.sqlite.submit;

import dev.semel.sqlite.file.DatabaseFile;
import dev.semel.sqlite.hint.Hints;
import dev.semel.sqlite.sql.Session;
import dev.semel.sqlite.time.FileClock;
import dev.semel.sqlite.transaction.CallersConnections;
import dev.semel.sqlite.transaction.Catalog;
import dev.semel.sqlite.transaction.Transaction;
import dev.semel.store.Joining;
import dev.semel.store.NewTask;
import dev.semel.store.StoreNews;
import dev.semel.store.Submitted;
import dev.semel.task.StoreUnavailable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.sqlite.SQLiteCommitListener;
import org.sqlite.SQLiteConnection;

/**
 * Submitting inside transactions of callers.
 *
 * <p>Such a transaction holds SQLite's only write lock from its first submission to its end, and all heartbeats of all
 * processes wait for that. So it has a limit, and the writer takes no expired leases after it had to wait long.
 */
public final class JoinedSubmissions {

    private static final String SAVEPOINT = "SAVEPOINT semel_submit";
    private static final String RELEASE = "RELEASE semel_submit";
    private static final String UNDO = "ROLLBACK TO semel_submit";

    // Changes nothing, but takes the write lock before anything is read: a transaction that has read and then writes
    // fails at once if another connection has written in between.
    private static final String LOCK = "DELETE FROM semel_lane WHERE 0";

    private final DatabaseFile file;
    private final CallersConnections callers;
    private final Duration limit;
    private final FileClock clock;
    private final Hints hints;

    // Weak, because the caller's pool decides how long a connection lives. A listener stays with its connection: it
    // cannot be removed from within a commit, and afterwards the connection may be closed already.
    private final Map<SQLiteConnection, Joined> joined = Collections.synchronizedMap(new WeakHashMap<>());

    public JoinedSubmissions(DatabaseFile file, Duration limit, FileClock clock, Hints hints) {
        this.file = file;
        this.callers = new CallersConnections(file);
        this.limit = limit;
        this.clock = clock;
        this.hints = hints;
    }

    public Joining.Joined with(Connection connection) {
        SQLiteConnection sqlite = callers.checked(connection);
        return batch -> submit(sqlite, batch);
    }

    private List<Submitted> submit(SQLiteConnection connection, List<NewTask> batch) {
        Session session = new Session(connection);
        try {
            CallersConnections.checkTransaction(connection);
            file.health().check();
            Joined transaction = joined.computeIfAbsent(connection, Joined::new);
            checkLimit(transaction, clock.estimate());
            session.sql(SAVEPOINT).update();
            try {
                session.sql(LOCK).update();
                long now = clock.advance(session);
                Transaction tx = new Transaction(new Catalog(session), now, () -> false, false);
                List<Submitted> answers = new Submissions(tx).submit(batch);
                session.sql(RELEASE).update();
                transaction.submitted(now, tx.news());
                return answers;
            } catch (SQLException | RuntimeException e) {
                undo(session, e);
                throw e;
            }
        } catch (SQLException e) {
            throw callers.explained(e);
        } finally {
            session.forget();
        }
    }

    private void checkLimit(Joined transaction, long now) {
        long since = transaction.since();
        if (since >= 0 && now - since > limit.toMillis()) {
            throw new StoreUnavailable("A joined transaction takes submissions for "
                    + limit.toMillis() + " ms, but this one had its first " + (now - since)
                    + " ms ago. It holds the only write lock of the SQLite file \"" + file.path()
                    + "\", and the heartbeats of all workers wait for that. Commit it or roll it back, and make such"
                    + " transactions shorter.");
        }
    }

    /** Undoes what a batch did so far, and nothing of what the caller did before. */
    private static void undo(Session session, Exception because) {
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
                hints.notifySoon(news);
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
