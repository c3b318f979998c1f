package dev.semel.sqlite.sql;

import dev.semel.task.TaskId;
import java.nio.ByteBuffer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Semel's values in SQLite's columns: ids are 16 bytes, times and durations are milliseconds. */
public final class ColumnValues {

    /** Later than every time that is stored, and far from overflowing: the end of the year 9999. */
    static final long END_OF_TIME = 253_402_300_799_999L;

    private ColumnValues() {}

    public static byte[] bytes(TaskId id) {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(id.value().getMostSignificantBits())
                .putLong(id.value().getLeastSignificantBits())
                .array();
    }

    public static TaskId taskId(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new TaskId(new UUID(buffer.getLong(), buffer.getLong()));
    }

    public static TaskId taskId(ResultSet row, int column) throws SQLException {
        return taskId(row.getBytes(column));
    }

    /** Cuts a time to milliseconds, and one beyond the year 9999 to that. */
    public static long millis(Instant time) {
        return time.getEpochSecond() >= END_OF_TIME / 1000 ? END_OF_TIME : time.toEpochMilli();
    }

    public static @Nullable Long millisOrNull(@Nullable Instant time) {
        return time == null ? null : (Long) millis(time);
    }

    /** A time that lies a duration after another one. */
    public static long after(long millis, Duration duration) {
        return millis(Instant.ofEpochMilli(millis).plus(duration));
    }

    public static Instant instant(ResultSet row, int column) throws SQLException {
        return Instant.ofEpochMilli(row.getLong(column));
    }

    public static @Nullable Instant instantOrNull(ResultSet row, int column) throws SQLException {
        long millis = row.getLong(column);
        return millis == 0 && row.wasNull() ? null : Instant.ofEpochMilli(millis);
    }

    public static @Nullable Long longOrNull(ResultSet row, int column) throws SQLException {
        long value = row.getLong(column);
        return value == 0 && row.wasNull() ? null : (Long) value;
    }
}
