package dev.semel.jdbc;

import dev.semel.jdbc.PostgresDatabase.Asked;
import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.store.Submitting;
import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnavailable;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;

/**
 * Submitting inside transactions of callers, behind a savepoint: whatever becomes of a batch, the caller's transaction stays
 * as it was before it. Nothing here commits, rolls back or closes a connection.
 */
final class PostgresJoining {

    private static final int MOST_TRIES = 30;

    private static final String BEGIN = """
            SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint, stamp, current_setting('lock_timeout'),
              current_setting('enable_seqscan'), current_setting('jit'), set_config('lock_timeout', ?, true),
              set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)
            FROM semel.change
            """;

    private static final String RESTORE =
            "SELECT set_config('lock_timeout', ?, true), set_config('enable_seqscan', ?, true), set_config('jit', ?, true)";

    private static final String NOTIFY = "SELECT pg_notify(?, ?)";

    // Before a message stands who sent it, and each store passes over its own. Nobody has heard of these yet.
    private static final String SENDER = "joined ";

    private final PostgresDatabase database;

    PostgresJoining(PostgresDatabase database) {
        this.database = database;
    }

    Submitting with(Connection connection) {
        try {
            check(connection);
        } catch (SQLException e) {
            throw database.translated(e);
        }
        return batch -> submit(connection, PostgresTaskStore.checked(batch));
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
        // New names are made on another connection: made here they would hold up everybody until the caller commits.
        List<Asked> asked = database.named(batch);
        PostgresFindings findings = new PostgresFindings();
        try {
            check(connection);
            database.check(connection);
            return asked.size() == 1
                    ? PostgresBatchSplitter.submit(asked, findings, part -> submitPart(connection, part, findings))
                    : submitParts(connection, asked, findings);
        } catch (SQLException e) {
            throw explained(e);
        }
    }

    /** Submits a batch in one or more parts, all of them or none. */
    private List<Submitted> submitParts(Connection connection, List<Asked> batch, PostgresFindings findings)
            throws SQLException {
        Savepoint before = connection.setSavepoint();
        try {
            List<Submitted> answers =
                    PostgresBatchSplitter.submit(batch, findings, part -> submitPart(connection, part, findings));
            connection.releaseSavepoint(before);
            return answers;
        } catch (SQLException | RuntimeException e) {
            undo(connection, before, e);
            throw e;
        }
    }

    private List<Submitted> submitPart(Connection connection, List<Asked> part, PostgresFindings findings)
            throws SQLException {
        for (int tries = 1; ; tries++) {
            Savepoint before = connection.setSavepoint();
            try {
                List<Submitted> answers = submit(connection, part, findings);
                connection.releaseSavepoint(before);
                return answers;
            } catch (SQLException | RuntimeException e) {
                undo(connection, before, e);
                if (!(e instanceof PostgresFailures.Race race) || tries == MOST_TRIES) {
                    throw e;
                }
                if (race.isLost() && seesOneState(connection)) {
                    throw new SQLException(race.getMessage(), race.getSQLState(), race);
                }
            }
        }
    }

    /** Whether all statements of the transaction see what was there when it began: then to look again shows nothing new. */
    private static boolean seesOneState(Connection connection) throws SQLException {
        return connection.getTransactionIsolation() > Connection.TRANSACTION_READ_COMMITTED;
    }

    /** Takes back what a batch did so far, and nothing of what the caller did before. */
    private static void undo(Connection connection, Savepoint before, Exception because) {
        try {
            connection.rollback(before);
            connection.releaseSavepoint(before);
        } catch (SQLException e) {
            // The connection is broken; the caller's commit will fail.
            because.addSuppressed(e);
        }
    }

    private List<Submitted> submit(Connection connection, List<Asked> asked, PostgresFindings findings)
            throws SQLException {
        PostgresSession session = database.session(connection);
        record Start(long now, String lockTimeout, String scans, String jit) {}
        Start start = session.sql(BEGIN)
                .withText(database.settings().lockLimit().toMillis() + "ms")
                .first(row -> new Start(row.getLong(1), row.getString(3), row.getString(4), row.getString(5)));
        if (start == null) {
            throw new IllegalStateException("The table \"change\" has no row; restore the one that the schema makes");
        }
        Long clock = database.clockMillis();
        // Not remembered: in an older state of the database the settings of queues may be older too.
        PostgresTransaction tx = new PostgresTransaction(
                        database, session, clock == null ? start.now() : clock, PostgresQueues.read(session))
                .joined();
        List<Submitted> answers = new PostgresSubmissions(tx, findings).submit(asked);
        if (database.settings().joinedHints() && tx.news().hasDue()) {
            session.sql(NOTIFY)
                    .withText(PostgresListening.channel(database.settings().schema()))
                    .withText(SENDER + PostgresHints.written(tx.news()))
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
        if (PostgresFailures.isSerializationFailure(e)) {
            return new StoreUnavailable(
                    "This transaction sees an older state of the PostgreSQL store " + database.shown()
                            + " than the one in which the key was taken, so nothing can be decided in it. Roll it back"
                            + " and run it again; with isolation READ COMMITTED that does not happen.",
                    e);
        }
        return database.translated(e);
    }
}
