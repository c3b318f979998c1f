package dev.semel.sqlite.capture;

import dev.semel.sqlite.sql.Session;
import dev.semel.sqlite.sql.SqlStatement;
import dev.semel.store.StoreNews;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Applies changes that were captured on one file to another, on a connection that captures nothing.
 *
 * <p>Rows are removed first and then written, each in the order of entities, so that a row meets neither a former row with
 * the same unique value nor a row that it names and that is not there yet.
 */
public final class ChangeApplier {

    private static final String REMOVE_ATTEMPTS =
            "DELETE FROM semel_attempt WHERE task = (SELECT seq FROM semel_task WHERE id = ?)";
    private static final String TASK = """
        SELECT t.lane, t.due_at, t.order_at, t.state, l.queue
        FROM semel_task t JOIN semel_lane l ON l.id = t.lane WHERE t.id = ?
        """;
    private static final String LOWER_WAKE =
            "UPDATE semel_lane SET wake_at = ?2 WHERE id = ?1 AND (wake_at IS NULL OR wake_at > ?2)";

    /** A change that does not fit the file: the two have diverged, and the file must be built again. */
    public static final class Misfit extends RuntimeException {
        private static final long serialVersionUID = 1;

        Misfit(String message) {
            super(message);
        }
    }

    private final Session session;
    private final NameNumbers names;
    private final List<Entity> entities;
    private final Map<String, Entity> byName = new HashMap<>();

    // Statements are prepared by the identity of their text, so each text is made once.
    private final Map<String, String> texts = new HashMap<>();

    public ChangeApplier(Session session) throws SQLException {
        this.session = session;
        this.names = new NameNumbers(session);
        this.entities = Entity.all(session);
        entities.forEach(entity -> byName.put(entity.name(), entity));
    }

    /** Whether this version of the schema has an entity, and the field of it. */
    public boolean knows(String entity, String field) {
        Entity known = byName.get(entity);
        Column column = known == null ? null : known.column(field);
        return column != null && column.isCaptured();
    }

    public boolean knows(String entity) {
        return byName.containsKey(entity);
    }

    /** Removes everything but names, whose numbers other connections remember. */
    public void clear() throws SQLException {
        for (Entity entity : entities) {
            if (!entity.isName()) {
                session.sql(text("DELETE FROM " + entity.table())).update();
            }
        }
    }

    /** Applies changes in a transaction that has begun; adds what listeners may want to know. */
    public void apply(List<Change> changes, StoreNews news) throws SQLException {
        Map<String, List<Change>> removals = new HashMap<>();
        Map<String, List<Change>> writes = new HashMap<>();
        for (Change change : changes) {
            if (!byName.containsKey(change.entity())) {
                throw new Misfit("Expected an entity of this schema, but got \"" + change.entity() + "\"");
            }
            (change.kind() == Change.Kind.REMOVE ? removals : writes)
                    .computeIfAbsent(change.entity(), name -> new ArrayList<>())
                    .add(change);
        }
        List<Entity> reversed = new ArrayList<>(entities);
        Collections.reverse(reversed);
        for (Entity entity : reversed) {
            for (Change change : removals.getOrDefault(entity.name(), List.of())) {
                remove(entity, change);
            }
        }
        for (Entity entity : entities) {
            for (Change change : writes.getOrDefault(entity.name(), List.of())) {
                write(entity, change);
                if (entity.name().equals(Entity.TASK)) {
                    notice(change, news);
                }
            }
        }
    }

    /** Forgets names, because a transaction was rolled back. */
    public void rolledBack() {
        names.forget();
    }

    private void remove(Entity entity, Change change) throws SQLException {
        if (entity.isName()) {
            throw new Misfit("A " + entity.name() + " cannot be removed");
        }
        if (entity.name().equals(Entity.TASK)) {
            session.sql(REMOVE_ATTEMPTS).with(bytes(change, "id")).update();
        }
        SqlStatement statement = session.sql(text("DELETE FROM " + entity.table() + where(entity)));
        if (bindKey(statement, entity, change)) {
            statement.update();
        }
    }

    private void write(Entity entity, Change change) throws SQLException {
        if (entity.isName()) {
            Long number = names.number(entity.name(), List.copyOf(change.key().values()));
            if (number != null && !change.fields().isEmpty()) {
                set(entity, change);
            }
        } else if (change.kind() == Change.Kind.SET) {
            set(entity, change);
        } else {
            put(entity, change);
        }
    }

    private void set(Entity entity, Change change) throws SQLException {
        List<Column> columns = columns(entity, change.fields());
        if (columns.isEmpty()) {
            return;
        }
        SqlStatement statement = session.sql(text("UPDATE " + entity.table() + " SET "
                + columns.stream().map(column -> column.quoted() + " = ?").collect(Collectors.joining(", "))
                + where(entity)));
        for (Column column : columns) {
            bind(statement, column, change.fields().get(column.name()));
        }
        if (!bindKey(statement, entity, change) || statement.update() != 1) {
            throw new Misfit("Expected the " + entity.name() + " " + change.key() + " to be stored, but it is not");
        }
    }

    private void put(Entity entity, Change change) throws SQLException {
        SqlStatement removal = session.sql(text("DELETE FROM " + entity.table() + where(entity)));
        if (!bindKey(removal, entity, change)) {
            throw new Misfit(
                    "Expected the task of the " + entity.name() + " " + change.key() + " to be stored, but it is not");
        }
        removal.update();
        List<Column> columns = new ArrayList<>(entity.identity());
        columns.addAll(columns(entity, change.fields()));
        SqlStatement statement = session.sql(text("INSERT INTO " + entity.table() + " ("
                + columns.stream().map(Column::quoted).collect(Collectors.joining(", ")) + ") VALUES ("
                + columns.stream().map(column -> "?").collect(Collectors.joining(", ")) + ")"));
        for (Column column : columns) {
            Object value = change.key().get(column.name());
            bind(statement, column, value == null ? change.fields().get(column.name()) : value);
        }
        statement.updateOne();
    }

    private static List<Column> columns(Entity entity, Map<String, @Nullable Object> fields) {
        List<Column> columns = new ArrayList<>(fields.size());
        for (String name : fields.keySet()) {
            Column column = entity.column(name);
            if (column == null || !column.isCaptured()) {
                throw new Misfit("Expected a field of a " + entity.name() + ", but got \"" + name + "\"");
            }
            columns.add(column);
        }
        return columns;
    }

    private static String where(Entity entity) {
        return entity.identity().stream()
                .map(column -> column.quoted() + " = ?")
                .collect(Collectors.joining(" AND ", " WHERE ", ""));
    }

    /** Binds the identity; returns false if it names a task that is not there. */
    private boolean bindKey(SqlStatement statement, Entity entity, Change change) throws SQLException {
        // Names are looked up before anything is bound: they are statements too, but never this one.
        Map<Column, Object> values = new LinkedHashMap<>();
        for (Column column : entity.identity()) {
            Object value = change.key().get(column.name());
            String target = column.target();
            Object local = value == null || target == null ? value : names.number(target, value);
            if (local == null) {
                return false;
            }
            values.put(column, local);
        }
        for (Map.Entry<Column, Object> entry : values.entrySet()) {
            Values.bind(statement, entry.getKey().type(), entry.getValue());
        }
        return true;
    }

    private void bind(SqlStatement statement, Column column, @Nullable Object value) throws SQLException {
        String target = column.target();
        Values.bind(statement, column.type(), value == null || target == null ? value : names.number(target, value));
    }

    private static byte[] bytes(Change change, String name) {
        return Values.bytes(identifier(change, name));
    }

    private static String identifier(Change change, String name) {
        if (change.key().get(name) instanceof String text) {
            return text;
        }
        throw new IllegalArgumentException("A change of \"" + change.entity() + "\" has the text \"" + name
                + "\" in its key, but got the key " + change.key() + ".");
    }

    /** Lowers the wake time of the task's lane, without which no claim would see it, and collects hints. */
    private void notice(Change change, StoreNews news) throws SQLException {
        Map<String, @Nullable Object> fields = change.fields();
        if (!fields.containsKey("state") && !fields.containsKey("due_at") && !fields.containsKey("order_at")) {
            return;
        }
        try (ResultSet row = session.sql(TASK).with(bytes(change, "id")).query()) {
            if (!row.next()) {
                return;
            }
            String state = row.getString(4);
            row.getLong(3);
            if (!row.wasNull()) {
                session.sql(LOWER_WAKE)
                        .with(row.getLong(1))
                        .with(row.getLong(2))
                        .update();
                if (state.equals("pending")) {
                    news.due(row.getString(5));
                }
            } else if (!state.equals("waiting")) {
                news.ended(Values.id(identifier(change, "id")));
            }
        }
    }

    private String text(String sql) {
        return texts.computeIfAbsent(sql, same -> same);
    }
}
