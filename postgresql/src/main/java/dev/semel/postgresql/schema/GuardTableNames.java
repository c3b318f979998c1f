package dev.semel.postgresql.schema;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The names of the guard's tables: {@code guard} and {@code guard_schema} in a schema, or {@code semel_guard} and
 * {@code semel_guard_schema} in the search path of the connections, as an earlier version made them. Statements are written for
 * the schema {@code semel}.
 */
public final class GuardTableNames {

    /** The names of earlier versions, found by the search path. */
    public static final GuardTableNames OF_EARLIER_VERSIONS = new GuardTableNames("semel_");

    private final String before;
    private final Map<String, String> texts = new ConcurrentHashMap<>();

    private GuardTableNames(String before) {
        this.before = before;
    }

    public static GuardTableNames in(String schema) {
        return new GuardTableNames(schema + ".");
    }

    /** A statement with the names of these tables. */
    public String sql(String text) {
        return texts.computeIfAbsent(text, sql -> sql.replace("semel.guard", before + "guard"));
    }
}
