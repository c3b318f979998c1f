package dev.semel.sqlite.sql;

import java.sql.SQLException;
import java.util.IdentityHashMap;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteErrorCode;

/**
 * One connection and the statements that were prepared on it, for one thread at a time.
 *
 * <p>Statements are kept by the identity of their text, so every text is a constant. The driver closes a statement whose
 * execution failed; after any failure all of them are closed and prepared again.
 */
public final class Session implements AutoCloseable {

    private static final String BEGIN_IMMEDIATE = "BEGIN IMMEDIATE";
    private static final String BEGIN = "BEGIN";
    private static final String COMMIT = "COMMIT";
    private static final String ROLLBACK = "ROLLBACK";
    private static final String SAVEPOINT = "SAVEPOINT semel_operation";
    private static final String RELEASE = "RELEASE semel_operation";

    private final SQLiteConnection connection;
    private final IdentityHashMap<String, SqlStatement> statements = new IdentityHashMap<>();

    public Session(SQLiteConnection connection) {
        this.connection = connection;
    }

    public SQLiteConnection connection() {
        return connection;
    }

    public SqlStatement sql(String text) throws SQLException {
        SqlStatement statement = statements.get(text);
        if (statement == null) {
            statement = new SqlStatement(text, connection.prepareStatement(text));
            statements.put(text, statement);
        }
        return statement.again();
    }

    public void begin() throws SQLException {
        sql(BEGIN).update();
    }

    /** Begins a transaction that may write; returns false if another connection holds the lock. */
    public boolean beginImmediate() throws SQLException {
        try {
            sql(BEGIN_IMMEDIATE).update();
            return true;
        } catch (SQLException e) {
            if (ErrorTranslator.isBusy(e)) {
                return false;
            }
            throw e;
        }
    }

    public void commit() throws SQLException {
        sql(COMMIT).update();
    }

    /** Undoes a transaction in which nothing failed, so its statements stay prepared. */
    public void undo() throws SQLException {
        sql(ROLLBACK).update();
    }

    /** Begins a part of a transaction that can be undone alone; {@link #releaseSavepoint} ends it. */
    public void savepoint() throws SQLException {
        sql(SAVEPOINT).update();
    }

    public void releaseSavepoint() throws SQLException {
        sql(RELEASE).update();
    }

    /** Undoes the part of a transaction that failed, and ends it. */
    public void undoToSavepoint() throws SQLException {
        forget();
        connection.getDatabase().exec("ROLLBACK TO semel_operation", false);
        connection.getDatabase().exec("RELEASE semel_operation", false);
    }

    /** Ends a transaction that failed. The failure has been reported by then, so one of the rollback is only added to it. */
    public void rollback(Throwable because) {
        forget();
        try {
            // Errors such as a full disk have rolled back already; a second ROLLBACK would only fail.
            connection.getDatabase().exec("ROLLBACK", false);
        } catch (SQLException e) {
            if (ErrorTranslator.primary(e) != SQLiteErrorCode.SQLITE_ERROR.code) {
                because.addSuppressed(e);
            }
        }
    }

    /** Closes all prepared statements. */
    public void forget() {
        for (SqlStatement statement : statements.values()) {
            try {
                statement.close();
            } catch (SQLException ignored) {
                // The failure has closed it already.
            }
        }
        statements.clear();
    }

    @Override
    public void close() throws SQLException {
        // A statement that was prepared when the heap was full is not in the map, and SQLite keeps a closed connection
        // alive that has one, with its transaction and its lock. So the transaction is ended first.
        rollback(new IllegalStateException("closed"));
        connection.close();
    }
}
