package dev.semel.postgresql.guard;

import dev.semel.guard.Begun;
import dev.semel.guard.GuardEntry;
import dev.semel.guard.GuardKey;
import dev.semel.guard.GuardState;
import dev.semel.guard.GuardStore;
import dev.semel.guard.Hold;
import dev.semel.guard.Settled;
import dev.semel.postgresql.connection.Connections;
import dev.semel.postgresql.schema.GuardSchema;
import dev.semel.postgresql.schema.GuardTableNames;
import dev.semel.postgresql.sql.ErrorTranslator;
import dev.semel.task.InvalidInput;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The guard inside a transaction of the caller's own. Its row is locked by that transaction, so another call with the same
 * key waits for its end, and then finds a success, or nothing. A failure undoes everything since the beginning, by a savepoint;
 * in PostgreSQL nothing else would make the transaction usable again after a statement has failed.
 */
public final class JoinedGuard implements GuardStore {

    private final Connection connection;
    private final Connections connections;
    private final GuardTableNames tables;
    private final Deque<Savepoint> savepoints = new ArrayDeque<>();

    private JoinedGuard(Connection connection, Connections connections, GuardTableNames tables) {
        this.connection = connection;
        this.connections = connections;
        this.tables = tables;
    }

    /**
     * Joins a transaction.
     *
     * @param place what distinguishes the guard's tables from those of another database, {@link GuardSchema#place}
     */
    public static JoinedGuard on(
            Connection connection, Connections connections, GuardTableNames tables, @Nullable String place) {
        try {
            if (connection.isClosed()) {
                throw new InvalidInput("A joined transaction is an open one, but the connection is closed.");
            }
            if (connection.getAutoCommit()) {
                throw new InvalidInput("A joined transaction is one that the caller ends, but the connection has"
                        + " auto-commit on. Call setAutoCommit(false) first, and commit() at the end.");
            }
            checkPlace(connection, connections, tables, place);
        } catch (SQLException e) {
            throw connections.translatedWhileJoined(e);
        }
        return new JoinedGuard(connection, connections, tables);
    }

    /** Checks that the connection leads to the guard's own database; behind a savepoint, because the tables may be missing. */
    private static void checkPlace(
            Connection connection, Connections connections, GuardTableNames tables, @Nullable String place)
            throws SQLException {
        if (connections.isOwn(connection)) {
            return;
        }
        connections.check(connection);
        Savepoint savepoint = connection.setSavepoint();
        try {
            if (!Objects.equals(place, GuardSchema.place(connection, tables))) {
                throw ErrorTranslator.elsewhere("The guard");
            }
            if (!connections.servers().isOfStore(connection)) {
                throw ErrorTranslator.onAnotherServer("The guard");
            }
            connections.noteOwn(connection);
        } finally {
            connection.rollback(savepoint);
            connection.releaseSavepoint(savepoint);
        }
    }

    @Override
    public Begun begin(Hold hold) {
        try {
            connections.check(connection);
            Savepoint savepoint = connection.setSavepoint();
            boolean entered = false;
            try {
                Begun begun = GuardRows.begin(tables, connection, hold, null);
                entered = begun instanceof Begun.Entered;
                return begun;
            } finally {
                if (entered) {
                    savepoints.push(savepoint);
                } else {
                    undo(savepoint);
                }
            }
        } catch (SQLException e) {
            throw connections.translatedWhileJoined(e);
        }
    }

    @Override
    public Settled renew(Hold hold) {
        return Settled.APPLIED;
    }

    @Override
    public Settled finish(Hold hold, @Nullable String result) {
        Savepoint savepoint = savepoints.pop();
        try {
            Settled settled = GuardRows.end(tables, connection, hold, GuardState.SUCCESS, result, null);
            connection.releaseSavepoint(savepoint);
            return settled;
        } catch (SQLException e) {
            // What a call outside of this one undoes has to be all of its own.
            try {
                undo(savepoint);
            } catch (SQLException broken) {
                e.addSuppressed(broken);
            }
            throw connections.translatedWhileJoined(e);
        }
    }

    @Override
    public Settled fail(Hold hold, String error) {
        try {
            undo(savepoints.pop());
            return Settled.APPLIED;
        } catch (SQLException e) {
            throw connections.translatedWhileJoined(e);
        }
    }

    private void undo(Savepoint savepoint) throws SQLException {
        connection.rollback(savepoint);
        connection.releaseSavepoint(savepoint);
    }

    @Override
    public Optional<GuardEntry> find(GuardKey key) {
        try {
            return GuardRows.find(tables, connection, key);
        } catch (SQLException e) {
            throw connections.translatedWhileJoined(e);
        }
    }

    @Override
    public int sweep(int limit) {
        throw new InvalidInput("A joined guard does not sweep. Sweep the store itself.");
    }

    @Override
    public void close() {
        // The connection is the caller's.
    }
}
