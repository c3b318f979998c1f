package dev.semel.sqlite.sql;

import dev.semel.task.TaskId;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import org.jspecify.annotations.Nullable;

/** One prepared statement of a {@link Session}; values are bound in the order of the calls. */
public final class SqlStatement {

    private final String sql;
    private final PreparedStatement prepared;
    private int bound;

    SqlStatement(String sql, PreparedStatement prepared) {
        this.sql = sql;
        this.prepared = prepared;
    }

    SqlStatement again() {
        bound = 0;
        return this;
    }

    public SqlStatement with(long value) throws SQLException {
        prepared.setLong(++bound, value);
        return this;
    }

    public SqlStatement with(@Nullable Long value) throws SQLException {
        if (value == null) {
            prepared.setNull(++bound, Types.INTEGER);
        } else {
            prepared.setLong(++bound, value);
        }
        return this;
    }

    public SqlStatement with(@Nullable String value) throws SQLException {
        prepared.setString(++bound, value);
        return this;
    }

    public SqlStatement with(byte @Nullable [] value) throws SQLException {
        prepared.setBytes(++bound, value);
        return this;
    }

    public SqlStatement with(TaskId id) throws SQLException {
        return with(ColumnValues.bytes(id));
    }

    /** Runs a statement that may change any number of rows. */
    public int update() throws SQLException {
        return prepared.executeUpdate();
    }

    /** Runs a statement that must change exactly one row; anything else means that the database is not what the caller has read. */
    public void updateOne() throws SQLException {
        int rows = prepared.executeUpdate();
        if (rows != 1) {
            throw new IllegalStateException("Expected 1 changed row, but " + rows + " were changed: " + sql);
        }
    }

    /** Runs a statement that returns rows. Close them before the next use. */
    public ResultSet query() throws SQLException {
        return prepared.executeQuery();
    }

    public void close() throws SQLException {
        prepared.close();
    }
}
