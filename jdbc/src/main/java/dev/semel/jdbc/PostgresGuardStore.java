package dev.semel.jdbc;

import dev.semel.guard.Begun;
import dev.semel.guard.GuardEntry;
import dev.semel.guard.GuardKey;
import dev.semel.guard.GuardState;
import dev.semel.guard.GuardStore;
import dev.semel.guard.Hold;
import dev.semel.guard.JoiningGuardStore;
import dev.semel.guard.Settled;
import dev.semel.task.InvalidInput;
import dev.semel.task.SemelException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A guard store in a PostgreSQL database, 14 or later: the table {@code semel_guard} in the first schema of the search path.
 *
 * <p>Every operation is one statement on a connection out of the user's own pool. Leases and expiry go by the database's
 * clock. A call can also join a transaction of the caller's own; then the effect's writes and the record of it commit
 * together.
 */
public final class PostgresGuardStore implements JoiningGuardStore {

    // How long a call waits for a transaction of somebody else's that has entered the same key and is still open.
    private static final Duration LOCK_LIMIT = Duration.ofSeconds(1);

    private final PostgresConnections connections;

    private PostgresGuardStore(PostgresConnections connections) {
        this.connections = connections;
    }

    /**
     * Makes a store; makes its table if it is not there.
     *
     * @param source gives connections to the database; use a pool. It is not closed with the store
     * @return the store
     * @throws dev.semel.task.StoreUnavailable if the database does not answer
     * @throws dev.semel.task.StoreUnusable if the table cannot be made, or the database is behind a pooler that does not know
     *     the driver's prepared statements; the message says what to do
     */
    public static PostgresGuardStore on(DataSource source) {
        if (source == null) {
            throw new InvalidInput("A PostgreSQL guard store needs a data source, but got null.");
        }
        PostgresGuardStore store = new PostgresGuardStore(new PostgresConnections(
                source,
                "The PostgreSQL database of the guard",
                PostgresPatience.withGivenConnections(PostgresSettings.standard())));
        store.asked(connection -> {
            PostgresGuardSchema.migrate(connection);
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
            throw translated(connections, e);
        }
    }

    static SemelException translated(PostgresConnections connections, SQLException e) {
        return PostgresConnections.isMixedUp(e) ? connections.mixedUp(e) : PostgresErrors.translated(e);
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
                return PostgresGuards.begin(connection, hold, LOCK_LIMIT);
            } catch (SQLException e) {
                if (PostgresErrors.isLockTimeout(e.getSQLState())) {
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
        return asked(connection -> PostgresGuards.renew(connection, hold));
    }

    @Override
    public Settled finish(Hold hold, @Nullable String result) {
        return asked(connection -> PostgresGuards.end(connection, hold, GuardState.SUCCESS, result, null));
    }

    @Override
    public Settled fail(Hold hold, String error) {
        return asked(connection ->
                PostgresGuards.end(connection, hold, GuardState.FAILURE, null, PostgresGuards.storable(error)));
    }

    @Override
    public Optional<GuardEntry> find(GuardKey key) {
        return asked(connection -> PostgresGuards.find(connection, key));
    }

    @Override
    public int sweep(int limit) {
        int most = GuardStore.checkSweep(limit);
        return asked(connection -> PostgresGuards.sweep(connection, most));
    }

    @Override
    public GuardStore joining(Connection connection) {
        return PostgresJoinedGuard.on(connection, connections);
    }

    /** Closes nothing: the data source is the caller's. */
    @Override
    public void close() {
        // nothing of its own
    }
}
