package dev.semel.sqlite.capture;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads rows of one entity as changes. */
final class RowReader {

    private final Entity entity;
    private final NameNumbers names;
    private final List<Column> fields;

    RowReader(Entity entity, NameNumbers names) {
        this.entity = entity;
        this.names = names;
        this.fields = entity.fields();
    }

    /**
     * Reads a row that is there.
     *
     * @param row the identity and then the fields of the entity, beginning at a column
     * @param mask the bits of the columns that changed; all for a whole row
     * @return null if it belongs to a task that is no longer there
     */
    @Nullable
    Change read(ResultSet row, int first, long mask) throws SQLException {
        Map<String, Object> key = new LinkedHashMap<>();
        int at = first;
        for (Column column : entity.identity()) {
            Object value = value(row, at++, column);
            if (value == null) {
                return null;
            }
            key.put(column.name(), value);
        }
        boolean whole = mask == -1;
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        for (Column column : fields) {
            if ((mask & column.bit()) != 0) {
                Object value = value(row, at, column);
                if (value != null || !whole) {
                    values.put(column.name(), value);
                }
            }
            at++;
        }
        return new Change(entity.name(), whole ? Change.Kind.PUT : Change.Kind.SET, key, values);
    }

    private @Nullable Object value(ResultSet row, int at, Column column) throws SQLException {
        Object value = Values.read(row, at, column.type());
        String target = column.target();
        return value == null || target == null ? value : names.name(target, (Long) value);
    }
}
