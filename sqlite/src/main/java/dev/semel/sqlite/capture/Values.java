package dev.semel.sqlite.capture;

import dev.semel.sqlite.sql.ColumnValues;
import dev.semel.sqlite.sql.SqlStatement;
import dev.semel.task.TaskId;
import java.nio.ByteBuffer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The values of columns as changes carry them. */
final class Values {

    private static final int ID_BYTES = 16;

    private Values() {}

    /** The value of a result's column, which has this declared type. */
    static @Nullable Object read(ResultSet row, int at, String type) throws SQLException {
        return switch (type) {
            case "INTEGER" -> ColumnValues.longOrNull(row, at);
            case "TEXT" -> row.getString(at);
            default -> text(row.getBytes(at));
        };
    }

    /** Binds a value of a change to a column of this declared type. */
    static void bind(SqlStatement statement, String type, @Nullable Object value) throws SQLException {
        switch (type) {
            case "INTEGER" -> statement.with((Long) value);
            case "TEXT" -> statement.with((String) value);
            default -> statement.with(value == null ? null : bytes((String) value));
        }
    }

    private static @Nullable String text(byte @Nullable [] bytes) {
        if (bytes == null) {
            return null;
        }
        if (bytes.length != ID_BYTES) {
            return HexFormat.of().formatHex(bytes);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new UUID(buffer.getLong(), buffer.getLong()).toString();
    }

    static byte[] bytes(String text) {
        if (text.indexOf('-') < 0) {
            return HexFormat.of().parseHex(text);
        }
        UUID id = UUID.fromString(text);
        return ByteBuffer.allocate(ID_BYTES)
                .putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits())
                .array();
    }

    static TaskId id(String text) {
        return new TaskId(UUID.fromString(text));
    }
}
