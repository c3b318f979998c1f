package dev.semel.postgresql.sql;

import dev.semel.task.TaskId;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/**
 * Appends many rows to one table, column by column and row by row, in the binary form of {@code COPY}. The server then writes
 * one record of its log for each page of rows instead of one for each row, which is a third less for narrow rows, and takes
 * half the time of an insert through {@code unnest}.
 */
public final class BinaryCopy {

    /** From this many rows on it is worth the two more round trips. */
    public static final int WORTH = 20;

    private static final byte[] SIGNATURE = {'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xff, '\r', '\n', 0};

    private final Connection connection;
    private final String sql;
    private final short columns;
    private byte[] buffer = new byte[1 << 16];
    private int length;

    /**
     * Begins.
     *
     * @param columns how many columns each row has; all of them are to be given, in order
     */
    BinaryCopy(Connection connection, String sql, int columns) {
        this.connection = connection;
        this.sql = sql;
        this.columns = (short) columns;
        append(SIGNATURE);
        append(0, Integer.BYTES); // no flags
        append(0, Integer.BYTES); // no extension of the header
    }

    /** Whether the driver behind a connection, which may be a pool's, can be reached. */
    public static boolean isPossible(Connection connection) throws SQLException {
        return connection.isWrapperFor(PGConnection.class);
    }

    public BinaryCopy row() {
        append(columns, Short.BYTES);
        return this;
    }

    public BinaryCopy with(@Nullable TaskId value) {
        if (value == null) {
            return nothing();
        }
        append(Long.BYTES * 2, Integer.BYTES);
        append(value.value().getMostSignificantBits(), Long.BYTES);
        append(value.value().getLeastSignificantBits(), Long.BYTES);
        return this;
    }

    public BinaryCopy with(@Nullable Long value) {
        return value == null ? nothing() : number(value, Long.BYTES);
    }

    public BinaryCopy with(@Nullable Integer value) {
        return value == null ? nothing() : number(value, Integer.BYTES);
    }

    public BinaryCopy withSmall(int value) {
        return number(value, Short.BYTES);
    }

    public BinaryCopy with(boolean value) {
        return number(value ? 1 : 0, 1);
    }

    public BinaryCopy with(@Nullable String value) {
        return value == null ? nothing() : with(value.getBytes(StandardCharsets.UTF_8));
    }

    public BinaryCopy with(byte @Nullable [] value) {
        if (value == null) {
            return nothing();
        }
        append(value.length, Integer.BYTES);
        append(value);
        return this;
    }

    private BinaryCopy number(long value, int bytes) {
        append(bytes, Integer.BYTES);
        append(value, bytes);
        return this;
    }

    private BinaryCopy nothing() {
        append(-1, Integer.BYTES);
        return this;
    }

    /** Sends the rows, and returns how many were appended. */
    public long send() throws SQLException {
        append(-1, Short.BYTES); // the end
        CopyIn copy = connection.unwrap(PGConnection.class).getCopyAPI().copyIn(sql);
        try {
            copy.writeToCopy(buffer, 0, length);
            return copy.endCopy();
        } finally {
            if (copy.isActive()) {
                copy.cancelCopy();
            }
        }
    }

    private void append(byte[] bytes) {
        grow(bytes.length);
        System.arraycopy(bytes, 0, buffer, length, bytes.length);
        length += bytes.length;
    }

    private void append(long value, int bytes) {
        grow(bytes);
        for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
            buffer[length++] = (byte) (value >>> shift);
        }
    }

    private void grow(int more) {
        if (buffer.length - length < more) {
            buffer = Arrays.copyOf(buffer, Math.max(2 * buffer.length, length + more));
        }
    }
}
