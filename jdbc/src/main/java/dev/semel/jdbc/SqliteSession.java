package dev.semel.jdbc;

import java.sql.SQLException;
import java.util.IdentityHashMap;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteErrorCode;

/**
 * One connection and the statements that were prepared on it, for one thread at a time.
 *
 * <p>Statements are kept by the identity of their text, so every text is a constant. The driver closes a statement whose
 * execution failed; after any failure all of them are given up and prepared anew.
 */
final class SqliteSession implements AutoCloseable {

    private static final String BEGIN_IMMEDIATE = "BEGIN IMMEDIATE";
    private static final String BEGIN = "BEGIN";
    private static final String COMMIT = "COMMIT";

    private final SQLiteConnection connection;
    private final IdentityHashMap<String, SqliteStatement> statements = new IdentityHashMap<>();
    private final SqliteQueues queues = new SqliteQueues(this);

    SqliteSession(SQLiteConnection connection) {
        this.connection = connection;
    }

    /** The settings of queues, as far as this session knows them. */
    SqliteQueues queues() {
        return queues;
    }

    SQLiteConnection connection() {
        return connection;
    }

    SqliteStatement sql(String text) throws SQLException {
        SqliteStatement statement = statements.get(text);
        if (statement == null) {
            statement = new SqliteStatement(text, connection.prepareStatement(text));
            statements.put(text, statement);
        }
        return statement.again();
    }

    void begin() throws SQLException {
        sql(BEGIN).update();
    }

    /** Begins a transaction that may write, unless another connection is about to: then this gives false. */
    boolean beginImmediate() throws SQLException {
        try {
            sql(BEGIN_IMMEDIATE).update();
            return true;
        } catch (SQLException e) {
            if (isBusy(e)) {
                return false;
            }
            throw e;
        }
    }

    void commit() throws SQLException {
        sql(COMMIT).update();
    }

    /** Ends a transaction that failed. What is wrong has been reported by then, so a failure here is only added to it. */
    void rollback(Throwable because) {
        forget();
        try {
            // Errors such as a full disk have rolled back already; a second ROLLBACK would only fail.
            connection.getDatabase().exec("ROLLBACK", false);
        } catch (SQLException e) {
            if (SqliteErrors.primary(e) != SQLiteErrorCode.SQLITE_ERROR.code) {
                because.addSuppressed(e);
            }
        }
    }

    /** Gives all prepared statements up, and what the failed transaction may have made. */
    void forget() {
        queues.forget();
        for (SqliteStatement statement : statements.values()) {
            try {
                statement.close();
            } catch (SQLException ignored) {
                // It was closed by the failure that made us forget it.
            }
        }
        statements.clear();
    }

    static boolean isBusy(SQLException e) {
        int code = SqliteErrors.primary(e);
        return code == SQLiteErrorCode.SQLITE_BUSY.code || code == SQLiteErrorCode.SQLITE_LOCKED.code;
    }

    @Override
    public void close() throws SQLException {
        // A statement that was prepared when the heap was full is known to nobody, and SQLite keeps a closed connection
        // alive that has one, with its transaction and its lock. So the transaction is ended first.
        rollback(new IllegalStateException("closed"));
        connection.close();
    }
}
