package dev.semel.postgresql.sql;

import dev.semel.task.TaskId;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGStatement;

/**
 * One execution of a statement: bound from the left to the right, then run once. Lists are bound as arrays.
 *
 * <p>The text of a statement forces its plan: each item of an array, and each row of a part before, is looked up by a key,
 * whatever the statistics say of the tables. Otherwise the server may read a whole table for each item. The forms are:
 *
 * <ul>
 *   <li>to read or to lock one row for each item: {@code LATERAL (SELECT … WHERE x.key = m.key LIMIT 1 FOR UPDATE)}. A limit
 *       keeps the server from making a plain join of it. Rows are locked in the order of the array;
 *   <li>to change one row for each item: {@code UPDATE … FROM unnest(…) AS m WHERE r.key = ANY (ARRAY[m.key])}. An equality
 *       could also be met by going through the whole index in its order, with the array inside; this can only be looked up.
 *       A transaction that waits for another one changes the newest version of the row, as with an equality. By {@code ctid} it
 *       would find no row, unless an earlier statement has locked it;
 *   <li>to change rows of which nothing else is needed: {@code WHERE key = ANY (?)};
 *   <li>to ask whether there is a row: {@code (SELECT 1 … LIMIT 1) IS NULL} and never {@code EXISTS}, which the server may answer
 *       with a list of the whole table;
 *   <li>{@code x + 0} where the index of {@code x} must not be used.
 * </ul>
 */
public final class SqlStatement {

    /** Reads one row. */
    public interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** Does something with one row. */
    public interface RowReader {
        void read(ResultSet row) throws SQLException;
    }

    private final Connection connection;
    private final PreparedStatement statement;
    private int bound;

    SqlStatement(Connection connection, String sql, boolean keepPlan) throws SQLException {
        this.connection = connection;
        this.statement = connection.prepareStatement(sql);
        // All rows with the answer, whatever a given pool says: some travel with a commit, and then there is no more to
        // fetch.
        statement.setFetchSize(0);
        if (!keepPlan && statement.isWrapperFor(PGStatement.class)) {
            statement.unwrap(PGStatement.class).setPrepareThreshold(0);
        }
    }

    public SqlStatement with(int value) throws SQLException {
        statement.setInt(++bound, value);
        return this;
    }

    public SqlStatement with(long value) throws SQLException {
        statement.setLong(++bound, value);
        return this;
    }

    public SqlStatement with(boolean value) throws SQLException {
        statement.setBoolean(++bound, value);
        return this;
    }

    public SqlStatement with(TaskId id) throws SQLException {
        statement.setObject(++bound, id.value());
        return this;
    }

    public SqlStatement with(byte[] value) throws SQLException {
        statement.setBytes(++bound, value);
        return this;
    }

    public SqlStatement withText(@Nullable String value) throws SQLException {
        statement.setString(++bound, value);
        return this;
    }

    public SqlStatement withId(@Nullable TaskId value) throws SQLException {
        statement.setObject(++bound, value == null ? null : value.value(), Types.OTHER);
        return this;
    }

    public SqlStatement withLong(@Nullable Long value) throws SQLException {
        statement.setObject(++bound, value, Types.BIGINT);
        return this;
    }

    public SqlStatement withInt(@Nullable Integer value) throws SQLException {
        statement.setObject(++bound, value, Types.INTEGER);
        return this;
    }

    public SqlStatement withFlag(@Nullable Boolean value) throws SQLException {
        statement.setObject(++bound, value, Types.BOOLEAN);
        return this;
    }

    public SqlStatement ids(Collection<TaskId> values) throws SQLException {
        return array("uuid", values.stream().map(TaskId::value).toArray(UUID[]::new));
    }

    public SqlStatement idsOrNull(Collection<? extends @Nullable TaskId> values) throws SQLException {
        @Nullable Object[] ids = new Object[values.size()];
        int i = 0;
        for (TaskId id : values) {
            ids[i++] = id == null ? null : id.value();
        }
        return array("uuid", ids);
    }

    // Arrays of numbers go over the wire in binary form, but only as Integer[] or Long[], not as Object[].

    public SqlStatement ints(Collection<? extends @Nullable Integer> values) throws SQLException {
        return array("int4", values.toArray(Integer[]::new));
    }

    public SqlStatement longs(Collection<? extends @Nullable Long> values) throws SQLException {
        return array("int8", values.toArray(Long[]::new));
    }

    public SqlStatement texts(Collection<? extends @Nullable String> values) throws SQLException {
        return array("text", values.toArray(String[]::new));
    }

    /** Places of rows that this transaction has locked. */
    public SqlStatement places(Collection<String> values) throws SQLException {
        return array("tid", values.toArray(String[]::new));
    }

    /** An array of texts, or NULL. */
    public SqlStatement textsOrNull(@Nullable Collection<String> values) throws SQLException {
        if (values == null) {
            statement.setNull(++bound, Types.ARRAY, "_text");
            return this;
        }
        return array("text", values.toArray(String[]::new));
    }

    /** An array of numbers, or NULL. */
    public SqlStatement intsOrNull(@Nullable Collection<Integer> values) throws SQLException {
        if (values == null) {
            statement.setNull(++bound, Types.ARRAY, "_int4");
            return this;
        }
        return ints(values);
    }

    public SqlStatement bytes(Collection<? extends byte @Nullable []> values) throws SQLException {
        return array("bytea", values.toArray(byte[][]::new));
    }

    private SqlStatement array(String type, @Nullable Object[] values) throws SQLException {
        Array array = connection.createArrayOf(type, values);
        statement.setArray(++bound, array);
        return this;
    }

    /** Runs it and returns how many rows it changed. */
    public int update() throws SQLException {
        try (statement) {
            return statement.executeUpdate();
        }
    }

    /** Runs it; it must change one row. */
    public void updateOne() throws SQLException {
        int rows = update();
        if (rows != 1) {
            throw new IllegalStateException("Expected to change one row, but changed " + rows);
        }
    }

    /** Runs it; it must change so many rows. */
    public void updateExactly(int expected) throws SQLException {
        int rows = update();
        if (rows != expected) {
            throw new IllegalStateException("Expected to change " + expected + " rows, but changed " + rows);
        }
    }

    /** Runs it and reads all rows. */
    public <T> List<T> list(Reader<T> reader) throws SQLException {
        try (statement;
                ResultSet row = statement.executeQuery()) {
            List<T> all = new ArrayList<>();
            while (row.next()) {
                all.add(reader.read(row));
            }
            return all;
        }
    }

    /** Runs it, several statements that travel together, and reads the rows of each. */
    public void results(RowReader... readers) throws SQLException {
        try (statement) {
            statement.execute();
            for (int i = 0; i < readers.length; i++) {
                if (i > 0) {
                    statement.getMoreResults();
                }
                try (ResultSet row = statement.getResultSet()) {
                    while (row.next()) {
                        readers[i].read(row);
                    }
                }
            }
        }
    }

    /** Runs it and reads the first row; null if there is none. */
    public <T> @Nullable T first(Reader<T> reader) throws SQLException {
        try (statement;
                ResultSet row = statement.executeQuery()) {
            return row.next() ? reader.read(row) : null;
        }
    }

    public static @Nullable Long longOrNull(ResultSet row, int column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? null : (Long) value;
    }

    public static @Nullable Long longOrNull(ResultSet row, String column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? null : (Long) value;
    }

    public static TaskId id(ResultSet row, String column) throws SQLException {
        return new TaskId(row.getObject(column, UUID.class));
    }

    public static TaskId id(ResultSet row, int column) throws SQLException {
        return new TaskId(row.getObject(column, UUID.class));
    }

    public static @Nullable TaskId idOrNull(ResultSet row, String column) throws SQLException {
        UUID value = row.getObject(column, UUID.class);
        return value == null ? null : new TaskId(value);
    }

    public static @Nullable TaskId idOrNull(ResultSet row, int column) throws SQLException {
        UUID value = row.getObject(column, UUID.class);
        return value == null ? null : new TaskId(value);
    }
}
