package dev.semel.sqlite.transaction;

import dev.semel.sqlite.file.DatabaseFile;
import dev.semel.sqlite.sql.ErrorTranslator;
import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnavailable;
import java.sql.Connection;
import java.sql.SQLException;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteErrorCode;

/** Connections of callers, whose transactions submissions and guarded calls join. */
public final class CallersConnections {

    private final DatabaseFile file;

    public CallersConnections(DatabaseFile file) {
        this.file = file;
    }

    /** Returns the SQLite connection inside a connection; rejects one that has no open transaction on this file. */
    public SQLiteConnection checked(Connection connection) {
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
                            + connection.getClass().getName() + "\", which does not unwrap to a SQLite connection.",
                    e);
        }
    }

    public static void checkTransaction(SQLiteConnection connection) throws SQLException {
        if (connection.isClosed()) {
            throw new InvalidInput("A joined transaction is an open one, but the connection is closed.");
        }
        if (connection.getAutoCommit()) {
            throw new InvalidInput(
                    "A joined transaction is one that the caller ends, but the connection has auto-commit"
                            + " on. Call setAutoCommit(false) first, and commit() at the end.");
        }
    }

    /** Rejects the call if the file can no longer be relied on. */
    public void checkFile() {
        file.health().check();
    }

    /** The exception that a caller gets for an error of SQLite. */
    public RuntimeException explained(SQLException e) {
        if (ErrorTranslator.refined(e) == SQLiteErrorCode.SQLITE_BUSY_SNAPSHOT) {
            return new StoreUnavailable(
                    "This transaction has read the SQLite file \"" + file.path()
                            + "\", and another connection has written to it"
                            + " since, so it can no longer write. Roll it back and run it again; begin it with"
                            + " \"transaction_mode=IMMEDIATE\" to avoid that.",
                    e);
        }
        return file.health().translated(e);
    }
}
