package dev.semel.sqlite.capture;

import dev.semel.sqlite.sql.Session;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The record of what a transaction changes on one connection.
 *
 * <p>Temporary triggers note the key of each row that is touched, and a bit for each column whose value differs. They note no
 * values: those are read once, before the commit, so a row that is written five times is read once, and a heartbeat does not
 * copy the input of its task. Temporary tables take part in savepoints, so what an operation did that failed is not noted.
 *
 * <p>The triggers of the schema itself, which refuse a second task under one key, judge operations and not copies: changes
 * that were admitted elsewhere are applied in another order than they were made. So they are moved to the connection of the
 * operations too.
 */
public final class ChangeCapture {

    // Keys have up to three columns of any type. Without constraints of types, because it holds keys of all tables.
    private static final int KEY_COLUMNS = 3;
    private static final String CREATE = """
        CREATE TEMP TABLE semel_change (
          entity INTEGER NOT NULL, k1 NOT NULL, k2 NOT NULL, k3 NOT NULL, mask INTEGER NOT NULL,
          PRIMARY KEY (entity, k1, k2, k3)
        ) WITHOUT ROWID
        """;
    private static final String UPSERT = " ON CONFLICT (entity, k1, k2, k3) DO UPDATE SET mask = ";
    private static final String TOUCHED = "SELECT DISTINCT entity FROM temp.semel_change ORDER BY entity";
    private static final String CLEAR = "DELETE FROM temp.semel_change";

    private static final String KEEP_TRIGGERS =
            "CREATE TABLE IF NOT EXISTS semel_replica_trigger (name TEXT PRIMARY KEY, sql TEXT NOT NULL) STRICT";
    private static final String MOVE_TRIGGERS = """
        INSERT INTO semel_replica_trigger (name, sql)
        SELECT name, sql FROM main.sqlite_schema WHERE type = 'trigger' AND tbl_name LIKE 'semel\\_%' ESCAPE '\\'
        ON CONFLICT (name) DO UPDATE SET sql = excluded.sql
        """;
    private static final String SCHEMA_TRIGGERS =
            "SELECT name FROM main.sqlite_schema WHERE type = 'trigger' AND tbl_name LIKE 'semel\\_%' ESCAPE '\\'";
    private static final String KEPT_TRIGGERS = "SELECT sql FROM semel_replica_trigger ORDER BY name";

    private record Captured(Entity entity, RowReader reader, String sql) {}

    private final Session session;
    private final NameNumbers names;
    private final List<Captured> captured = new ArrayList<>();

    private ChangeCapture(Session session, List<Entity> entities) {
        this.session = session;
        this.names = new NameNumbers(session);
        for (Entity entity : entities) {
            captured.add(new Captured(entity, new RowReader(entity, names), collecting(entity)));
        }
    }

    /** Begins to capture what is written on a connection that has no transaction. */
    public static ChangeCapture install(Session session) throws SQLException {
        List<Entity> entities = Entity.all(session);
        try (Statement statement = session.connection().createStatement()) {
            moveTriggers(session, statement);
            statement.executeUpdate(CREATE);
            for (Entity entity : entities) {
                for (String trigger : triggers(entity)) {
                    statement.executeUpdate(trigger);
                }
            }
        }
        return new ChangeCapture(session, entities);
    }

    private static void moveTriggers(Session session, Statement statement) throws SQLException {
        statement.executeUpdate(KEEP_TRIGGERS);
        statement.executeUpdate(MOVE_TRIGGERS);
        for (String name : strings(session, SCHEMA_TRIGGERS)) {
            statement.executeUpdate("DROP TRIGGER main." + name);
        }
        for (String sql : strings(session, KEPT_TRIGGERS)) {
            statement.executeUpdate(sql.replaceFirst("(?i)CREATE\\s+TRIGGER", "CREATE TEMP TRIGGER"));
        }
    }

    private static List<String> strings(Session session, String sql) throws SQLException {
        List<String> all = new ArrayList<>();
        try (ResultSet row = session.sql(sql).query()) {
            while (row.next()) {
                all.add(row.getString(1));
            }
        }
        return all;
    }

    private static List<String> triggers(Entity entity) {
        List<String> all = new ArrayList<>();
        String on = " ON main." + entity.table() + " BEGIN INSERT INTO semel_change (entity, k1, k2, k3, mask) ";
        all.add(named(entity, "insert") + "AFTER INSERT" + on + "VALUES (" + key(entity, "NEW") + ", -1)" + UPSERT
                + "-1; END");
        all.add(named(entity, "delete") + "AFTER DELETE" + on + "VALUES (" + key(entity, "OLD") + ", -1)" + UPSERT
                + "-1; END");
        List<Column> compared = entity.columns().stream()
                .filter(column -> column.isCaptured() && column.role() != Column.Role.DOCUMENT)
                .toList();
        String mask = compared.stream()
                .map(column ->
                        "((OLD." + column.quoted() + " IS NOT NEW." + column.quoted() + ") << " + column.index() + ")")
                .collect(Collectors.joining(" | "));
        all.add(named(entity, "update") + "AFTER UPDATE OF "
                + compared.stream().map(Column::quoted).collect(Collectors.joining(", ")) + on + "SELECT "
                + key(entity, "NEW") + ", changed FROM (SELECT " + mask + " AS changed) WHERE changed <> 0" + UPSERT
                + "mask | excluded.mask; END");
        for (Column column : entity.columns()) {
            if (column.role() == Column.Role.DOCUMENT) {
                all.add(named(entity, "update_" + column.name()) + "AFTER UPDATE OF " + column.quoted() + on
                        + "VALUES (" + key(entity, "NEW") + ", " + column.bit() + ")" + UPSERT
                        + "mask | excluded.mask; END");
            }
        }
        return all;
    }

    private static String named(Entity entity, String what) {
        return "CREATE TEMP TRIGGER semel_capture_" + entity.name() + "_" + what + " ";
    }

    /** The number of the entity and three key values of a row. */
    private static String key(Entity entity, String row) {
        List<Column> columns = keyColumns(entity);
        return entity.number() + ", "
                + IntStream.range(0, KEY_COLUMNS)
                        .mapToObj(i ->
                                i < columns.size() ? row + "." + columns.get(i).quoted() : "''")
                        .collect(Collectors.joining(", "));
    }

    /** What is noted of a row: what finds it, and what still identifies it after it was removed. */
    private static List<Column> keyColumns(Entity entity) {
        List<Column> columns = new ArrayList<>(entity.rowKey());
        if (!entity.isName()) {
            entity.identity().stream()
                    .filter(column -> !columns.contains(column))
                    .forEach(columns::add);
        }
        if (columns.size() > KEY_COLUMNS) {
            throw new IllegalStateException(
                    "The key of " + entity.table() + " has more than " + KEY_COLUMNS + " columns");
        }
        return columns;
    }

    /** Reads the touched rows of an entity: mask, whether the row is there, the noted key, identity and fields. */
    private static String collecting(Entity entity) {
        List<Column> keys = entity.rowKey();
        StringBuilder sql = new StringBuilder("SELECT c.mask, m.")
                .append(keys.getFirst().quoted())
                .append(" IS NOT NULL, c.k1, c.k2, c.k3");
        for (Column column : entity.identity()) {
            sql.append(", m.").append(column.quoted());
        }
        for (Column column : entity.fields()) {
            // Not read unless it changed: it may be large.
            sql.append(
                    column.role() == Column.Role.DOCUMENT
                            ? ", CASE WHEN c.mask & " + column.bit() + " THEN m." + column.quoted() + " END"
                            : ", m." + column.quoted());
        }
        sql.append(" FROM temp.semel_change c LEFT JOIN main.")
                .append(entity.table())
                .append(" m ON ");
        sql.append(IntStream.range(0, keys.size())
                .mapToObj(i -> "m." + keys.get(i).quoted() + " = c.k" + (i + 1))
                .collect(Collectors.joining(" AND ")));
        return sql.append(" WHERE c.entity = ")
                .append(entity.number())
                .append(" ORDER BY c.k1, c.k2, c.k3")
                .toString();
    }

    /** Returns what the transaction has changed so far and forgets it; empty if it has changed nothing but hints. */
    public List<Change> take() throws SQLException {
        List<Integer> touched = new ArrayList<>();
        try (ResultSet row = session.sql(TOUCHED).query()) {
            while (row.next()) {
                touched.add(row.getInt(1));
            }
        }
        if (touched.isEmpty()) {
            return List.of();
        }
        List<Change> changes = new ArrayList<>();
        for (int number : touched) {
            collect(captured.get(number), changes);
        }
        session.sql(CLEAR).update();
        return changes;
    }

    private void collect(Captured from, List<Change> changes) throws SQLException {
        int identity = 3 + KEY_COLUMNS;
        try (ResultSet row = session.sql(from.sql()).query()) {
            while (row.next()) {
                Change change = row.getBoolean(2)
                        ? from.reader().read(row, identity, row.getLong(1))
                        : removed(from.entity(), row);
                if (change != null) {
                    changes.add(change);
                }
            }
        }
    }

    /** The removal of a row; null for one that belonged to a task, which is removed with it. */
    private @Nullable Change removed(Entity entity, ResultSet row) throws SQLException {
        List<Column> noted = keyColumns(entity);
        Map<String, Object> key = new LinkedHashMap<>();
        for (Column column : entity.identity()) {
            Object value = Values.read(row, 3 + noted.indexOf(column), column.type());
            String target = column.target();
            if (value != null && target != null) {
                value = names.name(target, (Long) value);
            }
            if (value == null) {
                return null;
            }
            key.put(column.name(), value);
        }
        return new Change(entity.name(), Change.Kind.REMOVE, key, Map.of());
    }

    /** Forgets what was noted and what is known of names, because a transaction was rolled back. */
    public void rolledBack() {
        names.forget();
    }

    /** Returns the fields of each entity that this version of the schema has, with those that identify a row. */
    public static Map<String, List<String>> fields(Session session) throws SQLException {
        Map<String, List<String>> all = new HashMap<>();
        for (Entity entity : Entity.all(session)) {
            all.put(
                    entity.name(),
                    entity.columns().stream()
                            .filter(Column::isCaptured)
                            .map(Column::name)
                            .toList());
        }
        return Collections.unmodifiableMap(all);
    }
}
