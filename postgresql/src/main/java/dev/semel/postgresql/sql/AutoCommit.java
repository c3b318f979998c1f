package dev.semel.postgresql.sql;

import java.sql.Connection;
import java.sql.SQLException;

/** A change of a connection's auto-commit mode that is undone when it is closed, because not every pool resets the mode. */
public final class AutoCommit implements AutoCloseable {

    private final Connection connection;
    private final boolean before;

    private AutoCommit(Connection connection, boolean wanted) throws SQLException {
        this.connection = connection;
        this.before = connection.getAutoCommit();
        set(wanted);
    }

    /** Each statement is a transaction of its own. */
    public static AutoCommit on(Connection connection) throws SQLException {
        return new AutoCommit(connection, true);
    }

    /** Nothing is committed before a commit. */
    public static AutoCommit off(Connection connection) throws SQLException {
        return new AutoCommit(connection, false);
    }

    private void set(boolean wanted) throws SQLException {
        if (connection.getAutoCommit() != wanted) {
            connection.setAutoCommit(wanted);
        }
    }

    @Override
    public void close() {
        try {
            if (!connection.isClosed()) {
                set(before);
            }
        } catch (SQLException e) {
            // The connection is broken, and closing it is all that is left to do.
            return;
        }
    }
}
