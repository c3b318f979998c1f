package dev.semel.postgresql.submit;

import dev.semel.postgresql.hint.HintChannel;
import dev.semel.postgresql.hint.Hints;
import dev.semel.postgresql.schema.TaskSchema;
import dev.semel.postgresql.sql.Backoff;
import dev.semel.postgresql.sql.ErrorTranslator;
import dev.semel.postgresql.sql.Race;
import dev.semel.postgresql.sql.Session;
import dev.semel.postgresql.transaction.Database;
import dev.semel.postgresql.transaction.NumberedTask;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.Joining;
import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnavailable;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Submits inside transactions of callers, after a savepoint: if a batch fails, the caller's transaction is as it was before.
 * Nothing here commits, rolls back or closes a connection.
 */
public final class JoinedSubmissions {

    private static final String BEGIN = """
            SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now, stamp,
              current_setting('lock_timeout') AS lock_timeout, current_setting('enable_seqscan') AS scans,
              current_setting('jit') AS jit, set_config('lock_timeout', ?, true),
              set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true),
              current_database() || ' '
                || (SELECT extract(epoch FROM v.applied_at) FROM semel.schema_version v ORDER BY v.version LIMIT 1) AS place,
              extract(epoch FROM pg_catalog.pg_postmaster_start_time())::text AS server_started
            FROM (SELECT stamp FROM semel.change LIMIT 1) c
            """;

    private static final String RESTORE =
            "SELECT set_config('lock_timeout', ?, true), set_config('enable_seqscan', ?, true), set_config('jit', ?, true)";

    private static final String NOTIFY = "SELECT pg_notify(?, ?)";

    // A message begins with its sender, and each store ignores its own. No store has seen these yet.
    private static final String SENDER = "joined ";

    private final Database database;
    private final @Nullable String place;

    /**
     * Creates it.
     *
     * @param place what distinguishes the store's database from others, {@link TaskSchema#place}
     */
    public JoinedSubmissions(Database database, @Nullable String place) {
        this.database = database;
        this.place = place;
    }

    public Joining.Joined with(Connection connection) {
        try {
            check(connection);
        } catch (SQLException e) {
            throw database.translated(e);
        }
        return batch -> submit(connection, batch);
    }

    private static void check(Connection connection) throws SQLException {
        if (connection.isClosed()) {
            throw new InvalidInput("A joined transaction is an open one, but the connection is closed.");
        }
        if (!"PostgreSQL".equals(connection.getMetaData().getDatabaseProductName())) {
            throw new InvalidInput("A joined transaction is one on the store's own PostgreSQL database, but got a"
                    + " connection to \"" + connection.getMetaData().getDatabaseProductName() + "\".");
        }
        if (connection.getAutoCommit()) {
            throw new InvalidInput(
                    "A joined transaction is one that the caller ends, but the connection has auto-commit on. Call"
                            + " setAutoCommit(false) first, and commit() at the end.");
        }
    }

    private List<Submitted> submit(Connection connection, List<NewTask> batch) {
        if (batch.isEmpty()) {
            return List.of();
        }
        // New names are made on another connection: made here, others would wait for them until the caller commits.
        List<NumberedTask> asked = database.numbered(batch);
        RetryNotes notes = RetryNotes.empty();
        try {
            check(connection);
            database.check(connection);
            return asked.size() == 1
                    ? BatchSplitter.submit(asked, notes, part -> submitPart(connection, part, notes))
                    : submitParts(connection, asked, notes);
        } catch (SQLException e) {
            throw explained(e);
        }
    }

    /** Submits a batch in one or more parts, all of them or none. */
    private List<Submitted> submitParts(Connection connection, List<NumberedTask> batch, RetryNotes notes)
            throws SQLException {
        Savepoint before = connection.setSavepoint();
        try {
            List<Submitted> answers = BatchSplitter.submit(batch, notes, part -> submitPart(connection, part, notes));
            connection.releaseSavepoint(before);
            return answers;
        } catch (SQLException | RuntimeException e) {
            undo(connection, before, e);
            throw e;
        }
    }

    private List<Submitted> submitPart(Connection connection, List<NumberedTask> part, RetryNotes notes)
            throws SQLException {
        Backoff backoff = new Backoff();
        while (true) {
            Savepoint before = connection.setSavepoint();
            try {
                List<Submitted> answers = submit(connection, part, notes);
                connection.releaseSavepoint(before);
                return answers;
            } catch (SQLException | RuntimeException e) {
                undo(connection, before, e);
                if (!(e instanceof Race race)) {
                    throw e;
                }
                if (race.isLost() && seesOneState(connection)) {
                    throw new SQLException(race.getMessage(), race.getSQLState(), race);
                }
                if (!backoff.pauseForAnotherTry()) {
                    throw e;
                }
            }
        }
    }

    /** Whether all statements of the transaction see the state in which it began: then another look shows nothing new. */
    private static boolean seesOneState(Connection connection) throws SQLException {
        return connection.getTransactionIsolation() > Connection.TRANSACTION_READ_COMMITTED;
    }

    /** Rolls back what a batch did so far, and nothing of what the caller did before. */
    private static void undo(Connection connection, Savepoint before, Exception because) {
        try {
            connection.rollback(before);
            connection.releaseSavepoint(before);
        } catch (SQLException e) {
            // The connection is broken; the caller's commit will fail.
            because.addSuppressed(e);
        }
    }

    private List<Submitted> submit(Connection connection, List<NumberedTask> asked, RetryNotes notes)
            throws SQLException {
        Session session = database.session(connection);
        record Start(
                long now,
                long stamp,
                String lockTimeout,
                String scans,
                String jit,
                @Nullable String place,
                String server) {}
        Start start = session.sql(BEGIN)
                .withText(database.lockMillis() + "ms")
                .first(row -> new Start(
                        row.getLong("now"),
                        row.getLong("stamp"),
                        row.getString("lock_timeout"),
                        row.getString("scans"),
                        row.getString("jit"),
                        row.getString("place"),
                        row.getString("server_started")));
        if (start == null) {
            throw Database.noChangeRow();
        }
        if (!Objects.equals(place, start.place())) {
            throw ErrorTranslator.elsewhere(ErrorTranslator.storeAt(database.shown()));
        }
        if (!database.isOfStore(connection, start.server())) {
            throw ErrorTranslator.onAnotherServer(ErrorTranslator.storeAt(database.shown()));
        }
        database.checkSchema(session, start.stamp());
        Transaction tx = database.joined(session, start.now());
        List<Submitted> answers = new LockedSubmit(tx, notes).submit(asked);
        tx.finish();
        if (database.settings().joinedHints() && tx.news().hasDue()) {
            session.sql(NOTIFY)
                    .withText(HintChannel.channel(database.settings().schema()))
                    .withText(SENDER + Hints.written(tx.news()))
                    .first(row -> true);
        }
        session.sql(RESTORE)
                .withText(start.lockTimeout())
                .withText(start.scans())
                .withText(start.jit())
                .first(row -> true);
        return answers;
    }

    private RuntimeException explained(SQLException e) {
        if (ErrorTranslator.isSerializationFailure(e)) {
            return new StoreUnavailable(
                    "This transaction sees an older state of the PostgreSQL store " + database.shown()
                            + " than the one in which the key was taken, so nothing can be decided in it. Roll it back"
                            + " and run it again; with isolation READ COMMITTED that does not happen.",
                    e);
        }
        return database.translatedWhileJoined(e);
    }
}
