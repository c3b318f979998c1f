package dev.semel.sqlite.capture;

import dev.semel.sqlite.sql.Session;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A table whose rows are captured, and how its rows are identified.
 *
 * @param name the name in changes
 * @param number its place in the order in which changes are applied, from 0
 * @param columns all columns, in the order of the table
 * @param rowKey the primary key, which identifies a row in this file
 * @param identity the columns that identify a row in every copy
 */
record Entity(String name, int number, String table, List<Column> columns, List<Column> rowKey, List<Column> identity) {

    static final String SCOPE = "scope";
    static final String LANE = "lane";
    static final String TASK = "task";

    /**
     * A table by its name in changes.
     *
     * @param names the columns that identify a row in every copy, where that is not the primary key
     */
    private record Listed(String name, String table, List<String> names) {
        Listed(String name, String table) {
            this(name, table, List.of());
        }
    }

    // In the order in which changes are applied: a row comes after those that it names.
    private static final List<Listed> LIST = List.of(
            new Listed(SCOPE, "semel_scope", List.of("tenant", "kind", "name")),
            new Listed(LANE, "semel_lane", List.of("tenant", "queue", "type")),
            new Listed("queue", "semel_queue"),
            new Listed("mark", "semel_mark"),
            new Listed(TASK, "semel_task", List.of("id")),
            new Listed("attempt", "semel_attempt"),
            new Listed("record", "semel_record"),
            new Listed("effect", "semel_effect"),
            new Listed("schedule", "semel_schedule"),
            new Listed("workflow", "semel_flow"),
            new Listed("history", "semel_history"),
            new Listed("inbox", "semel_inbox"),
            new Listed("watch", "semel_watch"),
            new Listed("time_limit", "semel_time_limit"),
            new Listed("tag", "semel_tag"));

    // Of the file and not of the truth: its schema, its clock, and what a copy says of itself.
    private static final Set<String> LOCAL_TABLES = Set.of("semel_schema", "semel_clock", "semel_process");
    private static final String LOCAL_PREFIX = "semel_replica";

    private static final Map<String, String> REFERENCES = Map.of(
            "semel_task.lane", LANE,
            "semel_task.scope", SCOPE,
            "semel_record.lane", LANE,
            "semel_record.scope", SCOPE,
            "semel_attempt.task", TASK,
            "semel_time_limit.lane", LANE);

    // A wake time is a hint: a claim that finds a lane empty raises it, and that is worth no entry of a log. A copy
    // that
    // applies a task lowers it (ChangeApplier).
    private static final Set<String> LOCAL_COLUMNS = Set.of("semel_lane.id", "semel_scope.id", "semel_lane.wake_at");

    private static final Set<String> DOCUMENTS = Set.of("input", "result", "document", "error", "last_error", "note");

    // The bits of a long, less the sign.
    private static final int MOST_COLUMNS = 62;

    private static final String TABLES =
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'semel\\_%' ESCAPE '\\'";
    private static final String COLUMNS = "SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid";

    /** The entities of a file; throws if it has a table of Semel that is neither captured nor local. */
    static List<Entity> all(Session session) throws SQLException {
        Set<String> unlisted = tables(session);
        unlisted.removeIf(table -> LOCAL_TABLES.contains(table) || table.startsWith(LOCAL_PREFIX));
        List<Entity> all = new ArrayList<>();
        for (Listed listed : LIST) {
            if (unlisted.remove(listed.table())) {
                all.add(read(session, listed, all.size()));
            }
        }
        if (!unlisted.isEmpty()) {
            throw new IllegalStateException("Changes of the tables " + unlisted
                    + " would not be captured, and be missing in every other copy. Add them to the list of entities.");
        }
        return all;
    }

    private static Set<String> tables(Session session) throws SQLException {
        Set<String> names = new HashSet<>();
        try (ResultSet row = session.sql(TABLES).query()) {
            while (row.next()) {
                names.add(row.getString(1));
            }
        }
        return names;
    }

    private record Key(int place, Column column) {}

    private static Entity read(Session session, Listed listed, int number) throws SQLException {
        List<Column> columns = new ArrayList<>();
        List<Key> keys = new ArrayList<>();
        try (ResultSet row = session.sql(COLUMNS).with(listed.table()).query()) {
            while (row.next()) {
                Column column = column(listed.table(), row.getString(1), columns.size(), row.getString(2));
                columns.add(column);
                if (row.getInt(3) > 0) {
                    keys.add(new Key(row.getInt(3), column));
                }
            }
        }
        if (columns.size() > MOST_COLUMNS) {
            throw new IllegalStateException("A captured table has at most " + MOST_COLUMNS + " columns, but "
                    + listed.table() + " has " + columns.size());
        }
        List<Column> rowKey = keys.stream()
                .sorted(Comparator.comparingInt(Key::place))
                .map(Key::column)
                .toList();
        List<Column> identity = listed.names().isEmpty()
                ? rowKey
                : listed.names().stream()
                        .map(name -> columns.stream()
                                .filter(column -> column.name().equals(name))
                                .findFirst()
                                .orElseThrow())
                        .toList();
        return new Entity(listed.name(), number, listed.table(), List.copyOf(columns), rowKey, identity);
    }

    private static Column column(String table, String name, int index, String type) {
        String full = table + '.' + name;
        String target = REFERENCES.get(full);
        Column.Role role = target != null
                ? Column.Role.REFERENCE
                : LOCAL_COLUMNS.contains(full)
                        ? Column.Role.LOCAL
                        : DOCUMENTS.contains(name) ? Column.Role.DOCUMENT : Column.Role.VALUE;
        return new Column(name, index, type, role, target);
    }

    /** The columns of a change that are not its identity. */
    List<Column> fields() {
        return columns.stream()
                .filter(column -> column.isCaptured() && !identity.contains(column))
                .toList();
    }

    /** Whether rows have a number in this file that other tables name them by, and are never removed. */
    boolean isName() {
        return name.equals(SCOPE) || name.equals(LANE);
    }

    @Nullable
    Column column(String wanted) {
        for (Column column : columns) {
            if (column.name().equals(wanted)) {
                return column;
            }
        }
        return null;
    }
}
