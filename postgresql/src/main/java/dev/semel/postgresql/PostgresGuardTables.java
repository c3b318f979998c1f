package dev.semel.postgresql;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Where the guard's tables are: {@code guard} and {@code guard_schema} in a schema, or {@code semel_guard} and
 * {@code semel_guard_schema} in the search path of the connections, as an earlier version made them. Statements are written for
 * the schema {@code semel}.
 */
final class PostgresGuardTables {

    /** The names of earlier versions, found by the search path. */
    static final PostgresGuardTables OF_EARLIER_VERSIONS = new PostgresGuardTables("semel_");

    private final String before;
    private final Map<String, String> texts = new ConcurrentHashMap<>();

    private PostgresGuardTables(String before) {
        this.before = before;
    }

    static PostgresGuardTables in(String schema) {
        return new PostgresGuardTables(schema + ".");
    }

    /** A statement with the names of these tables. */
    String sql(String text) {
        return texts.computeIfAbsent(text, sql -> sql.replace("semel.guard", before + "guard"));
    }
}
