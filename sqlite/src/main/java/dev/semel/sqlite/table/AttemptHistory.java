package dev.semel.sqlite.table;

import dev.semel.sqlite.transaction.Transaction;
import dev.semel.store.AttemptEnd;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Rows of {@code semel_attempt}: attempts that have ended, except for the newest of a task, which is in its row. */
public final class AttemptHistory {

    private static final String ADD = """
            INSERT INTO semel_attempt (task, number, worker, started_at, ended_at, outcome, error)
            SELECT seq, attempt, worker, started_at, ?2, ?3, ?4 FROM semel_task WHERE seq = ?1
            """;

    private static final String ADD_DEATH = """
            INSERT INTO semel_attempt (task, number, worker, started_at, ended_at, outcome, error, redriven)
            SELECT seq, attempt, worker, started_at, finished_at, outcome, last_error, 1 FROM semel_task WHERE seq = ?
            """;

    // Without a worker: no attempt had begun. So it is not listed.
    private static final String ADD_EXPIRY = """
            INSERT INTO semel_attempt (task, number, worker, started_at, ended_at, outcome, error, redriven)
            SELECT seq, attempt, '', finished_at, finished_at, 'timed_out', last_error, 1 FROM semel_task WHERE seq = ?
            """;

    private static final String ADD_END = """
            INSERT INTO semel_attempt (task, number, worker, started_at, ended_at, outcome, error)
            SELECT seq, attempt, worker, started_at, finished_at, outcome,
              CASE WHEN outcome NOT IN ('completed', 'cancelled', 'put_back') THEN last_error END
            FROM semel_task WHERE seq = ?
            """;

    private static final String MARK_REDRIVEN = """
            UPDATE semel_attempt SET redriven = 1
            WHERE task = ?1 AND number = (SELECT attempt FROM semel_task WHERE seq = ?1)
            """;

    private static final String WAS_REDRIVEN = "SELECT redriven FROM semel_attempt WHERE task = ? AND number = ?";

    private AttemptHistory() {}

    /** Moves the newest attempt from the task to the history; the caller clears it in the task. */
    public static void add(Transaction tx, long seq, AttemptEnd end) throws SQLException {
        tx.sql(ADD)
                .with(seq)
                .with(tx.now())
                .with(end.outcome().word())
                .with(end.error())
                .updateOne();
    }

    /** Moves the attempt with which a task died to the history, because the task is redriven. */
    public static void addDeath(Transaction tx, long seq) throws SQLException {
        tx.sql(ADD_DEATH).with(seq).updateOne();
    }

    /** Adds the end of a task of which a time limit had passed while it did not run, because the task is redriven. */
    public static void addExpiry(Transaction tx, long seq) throws SQLException {
        tx.sql(ADD_EXPIRY).with(seq).updateOne();
    }

    /** Moves the attempt with which a task ended otherwise to the history, because the task is restarted. */
    public static void addEnd(Transaction tx, long seq) throws SQLException {
        tx.sql(ADD_END).with(seq).updateOne();
    }

    /** The same for an attempt that is in the history already, because it parked its task and that was given up. */
    public static void markRedriven(Transaction tx, long seq) throws SQLException {
        tx.sql(MARK_REDRIVEN).with(seq).updateOne();
    }

    /** Whether a task died with an attempt and was redriven from there. */
    public static boolean wasRedriven(Transaction tx, long seq, int attempt) throws SQLException {
        try (ResultSet row = tx.sql(WAS_REDRIVEN).with(seq).with(attempt).query()) {
            return row.next() && row.getBoolean(1);
        }
    }
}
