package dev.semel.postgresql;

import java.sql.Connection;
import java.sql.SQLException;

/** Whether a connection commits by itself, for a while; then it is again as it came, because not every pool resets that. */
final class PostgresAutoCommit implements AutoCloseable {

    private final Connection connection;
    private final boolean before;

    private PostgresAutoCommit(Connection connection, boolean wanted) throws SQLException {
        this.connection = connection;
        this.before = connection.getAutoCommit();
        set(wanted);
    }

    /** Each statement is a transaction of its own. */
    static PostgresAutoCommit on(Connection connection) throws SQLException {
        return new PostgresAutoCommit(connection, true);
    }

    /** Nothing is committed until somebody says so. */
    static PostgresAutoCommit off(Connection connection) throws SQLException {
        return new PostgresAutoCommit(connection, false);
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
