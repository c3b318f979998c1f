package dev.semel.jdbc;

import dev.semel.task.TaskId;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import org.jspecify.annotations.Nullable;

/** One prepared statement of a {@link SqliteSession}; values are bound in the order in which they are given. */
final class SqliteStatement {

    private final String sql;
    private final PreparedStatement prepared;
    private int bound;

    SqliteStatement(String sql, PreparedStatement prepared) {
        this.sql = sql;
        this.prepared = prepared;
    }

    SqliteStatement again() {
        bound = 0;
        return this;
    }

    SqliteStatement with(long value) throws SQLException {
        prepared.setLong(++bound, value);
        return this;
    }

    SqliteStatement with(@Nullable Long value) throws SQLException {
        if (value == null) {
            prepared.setNull(++bound, Types.INTEGER);
        } else {
            prepared.setLong(++bound, value);
        }
        return this;
    }

    SqliteStatement with(@Nullable String value) throws SQLException {
        prepared.setString(++bound, value);
        return this;
    }

    SqliteStatement with(byte @Nullable [] value) throws SQLException {
        prepared.setBytes(++bound, value);
        return this;
    }

    SqliteStatement with(TaskId id) throws SQLException {
        return with(SqliteValues.bytes(id));
    }

    /** Runs a statement that may change any number of rows. */
    int update() throws SQLException {
        return prepared.executeUpdate();
    }

    /** Runs a statement that must change exactly one row; anything else means that the database is not what we think. */
    void updateOne() throws SQLException {
        int rows = prepared.executeUpdate();
        if (rows != 1) {
            throw new IllegalStateException("Expected to change 1 row, but changed " + rows + ": " + sql);
        }
    }

    /** Runs a statement that gives rows. Close them before the next use. */
    ResultSet query() throws SQLException {
        return prepared.executeQuery();
    }

    void close() throws SQLException {
        prepared.close();
    }
}
