package dev.semel.postgresql;

import dev.semel.guard.Begun;
import dev.semel.guard.GuardEntry;
import dev.semel.guard.GuardJoining;
import dev.semel.guard.GuardKey;
import dev.semel.guard.GuardState;
import dev.semel.guard.GuardStore;
import dev.semel.guard.Hold;
import dev.semel.guard.Settled;
import dev.semel.postgresql.connection.AnswerLimit;
import dev.semel.postgresql.connection.Connections;
import dev.semel.postgresql.guard.GuardRows;
import dev.semel.postgresql.guard.JoinedGuard;
import dev.semel.postgresql.schema.GuardSchema;
import dev.semel.postgresql.schema.GuardTableNames;
import dev.semel.postgresql.sql.ErrorTranslator;
import dev.semel.task.Limits;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A guard store in a PostgreSQL database, version 14 or newer: the table {@code guard} in the schema {@code semel}, unless it is
 * set otherwise, where the tables of a {@link PostgresTaskStore} may be too.
 *
 * <p>Every operation is one statement on a connection out of the user's own pool. Leases and expiry go by the database's
 * clock. A call can also join a transaction of the caller's own; then the effect's writes and the record of it commit
 * together.
 */
public final class PostgresGuardStore implements GuardStore {

    private static final Logger LOG = LoggerFactory.getLogger(PostgresGuardStore.class);

    // How long a call waits for a transaction of somebody else's that has entered the same key and is still open.
    private static final Duration LOCK_LIMIT = Duration.ofSeconds(1);

    private final Connections connections;
    private volatile GuardTableNames tables;
    private volatile @Nullable String place;

    private PostgresGuardStore(Connections connections, GuardTableNames tables) {
        this.connections = connections;
        this.tables = tables;
    }

    /**
     * Makes a store with the standard settings; makes its table if it is not there. A table {@code semel_guard} in the search
     * path of the connections, which an earlier version made, is used instead for as long as it is there.
     *
     * @param source gives connections to the database; use a pool. It is not closed with the store
     * @return the store
     * @throws dev.semel.task.StoreUnavailable if the database does not answer
     * @throws dev.semel.task.StoreUnusable if the table cannot be made, the server is older than version 14, or the database is behind a pooler that does not know
     *     the driver's prepared statements; the message says what to do
     */
    public static PostgresGuardStore on(DataSource source) {
        return on(source, PostgresSettings.standard(), true);
    }

    /**
     * Makes a store; makes its table if it is not there and the settings allow that.
     *
     * @param source gives connections to the database; use a pool. It is not closed with the store
     * @param settings the schema of the table, whether to make it, and the limit for answers of the server; the other settings
     *     are those of tasks
     * @return the store
     * @throws dev.semel.task.StoreUnavailable if the database does not answer
     * @throws dev.semel.task.StoreUnusable if the table cannot be made, the server is older than version 14, or the database is behind a pooler that does not know
     *     the driver's prepared statements; the message says what to do
     */
    public static PostgresGuardStore on(DataSource source, PostgresSettings settings) {
        return on(source, settings, false);
    }

    private static PostgresGuardStore on(DataSource source, PostgresSettings settings, boolean earlierToo) {
        Limits.notNull("data source", source);
        Limits.notNull("settings", settings);
        PostgresGuardStore store = new PostgresGuardStore(
                new Connections(
                        source,
                        "The PostgreSQL database of the guard",
                        AnswerLimit.withGivenConnections(settings.answerLimit())),
                GuardTableNames.in(settings.schema()));
        store.asked(connection -> {
            store.connections.checkServer(connection);
            if (earlierToo && GuardSchema.hasTablesOfEarlierVersions(connection)) {
                store.tables = GuardTableNames.OF_EARLIER_VERSIONS;
                LOG.info("Guard uses tables of an earlier version: table=semel_guard schema=search path");
            } else {
                GuardSchema.migrate(connection, settings.schema(), settings.migration());
            }
            store.place = GuardSchema.place(connection, store.tables);
            store.connections.servers().note(connection);
            return true;
        });
        return store;
    }

    private interface Work<T> {
        T run(Connection connection) throws SQLException;
    }

    private <T> T asked(Work<T> work) {
        try (Connection connection = connections.get()) {
            boolean manual = !connection.getAutoCommit();
            try {
                T answer = work.run(connection);
                if (manual) {
                    connection.commit();
                }
                return answer;
            } catch (SQLException | RuntimeException e) {
                if (manual) {
                    undo(connection, e);
                }
                throw e;
            }
        } catch (SQLException e) {
            throw connections.translated(e);
        }
    }

    private static void undo(Connection connection, Exception because) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            because.addSuppressed(e);
        }
    }

    @Override
    public Begun begin(Hold hold) {
        return asked(connection -> {
            try {
                return GuardRows.begin(tables, connection, hold, LOCK_LIMIT);
            } catch (SQLException e) {
                if (ErrorTranslator.isLockTimeout(e)) {
                    if (!connection.getAutoCommit()) {
                        connection.rollback();
                    }
                    // A transaction that joined the key is still open; how long, nobody knows.
                    return new Begun.Busy(LOCK_LIMIT);
                }
                throw e;
            }
        });
    }

    @Override
    public Settled renew(Hold hold) {
        return asked(connection -> GuardRows.renew(tables, connection, hold));
    }

    @Override
    public Settled finish(Hold hold, @Nullable String result) {
        return asked(connection -> GuardRows.end(tables, connection, hold, GuardState.SUCCESS, result, null));
    }

    @Override
    public Settled fail(Hold hold, String error) {
        return asked(connection ->
                GuardRows.end(tables, connection, hold, GuardState.FAILURE, null, GuardRows.storable(error)));
    }

    @Override
    public Optional<GuardEntry> find(GuardKey key) {
        return asked(connection -> GuardRows.find(tables, connection, key));
    }

    @Override
    public int sweep(int limit) {
        int most = GuardStore.checkSweep(limit);
        return asked(connection -> GuardRows.sweep(tables, connection, most));
    }

    @Override
    public Optional<GuardJoining> joining() {
        return Optional.of(connection -> JoinedGuard.on(connection, connections, tables, place));
    }

    /** Closes nothing: the data source is the caller's. */
    @Override
    public void close() {
        connections.close();
    }
}
