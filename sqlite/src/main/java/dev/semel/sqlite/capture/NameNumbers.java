package dev.semel.sqlite.capture;

import dev.semel.sqlite.sql.Session;
import dev.semel.sqlite.sql.SqlStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The numbers that scopes, lanes and tasks have in this file, as one session knows them. */
final class NameNumbers {

    // Names come from callers, so what is remembered of them has a limit; beyond it everything is read again.
    private static final int MOST = 50_000;

    private static final String LANE_NAMES = "SELECT tenant, queue, type FROM semel_lane WHERE id = ?";
    private static final String SCOPE_NAMES = "SELECT tenant, kind, name FROM semel_scope WHERE id = ?";
    private static final String LANE_NUMBER = "SELECT id FROM semel_lane WHERE tenant = ? AND queue = ? AND type = ?";
    private static final String SCOPE_NUMBER = "SELECT id FROM semel_scope WHERE tenant = ? AND kind = ? AND name = ?";
    private static final String ADD_LANE = "INSERT INTO semel_lane (tenant, queue, type) VALUES (?, ?, ?) RETURNING id";
    private static final String ADD_SCOPE =
            "INSERT INTO semel_scope (tenant, kind, name) VALUES (?, ?, ?) RETURNING id";
    private static final String TASK_ID = "SELECT id FROM semel_task WHERE seq = ?";
    private static final String TASK_NUMBER = "SELECT seq FROM semel_task WHERE id = ?";

    private record Numbered(String entity, long number) {}

    private record Named(String entity, List<String> names) {}

    private final Session session;
    private final Map<Numbered, List<String>> names = new HashMap<>();
    private final Map<Named, Long> numbers = new HashMap<>();

    NameNumbers(Session session) {
        this.session = session;
    }

    /** Forgets everything, because a transaction was rolled back that may have created some of it. */
    void forget() {
        names.clear();
        numbers.clear();
    }

    /** The names of a number as a change carries them; null for a task that is no longer there. */
    @Nullable
    Object name(String entity, long number) throws SQLException {
        if (entity.equals(Entity.TASK)) {
            try (ResultSet row = session.sql(TASK_ID).with(number).query()) {
                return row.next() ? Values.read(row, 1, "BLOB") : null;
            }
        }
        Numbered key = new Numbered(entity, number);
        List<String> known = names.get(key);
        if (known == null) {
            try (ResultSet row = session.sql(entity.equals(Entity.LANE) ? LANE_NAMES : SCOPE_NAMES)
                    .with(number)
                    .query()) {
                if (!row.next()) {
                    throw new IllegalStateException(
                            "A row names the " + entity + " " + number + ", which is not stored");
                }
                known = List.of(row.getString(1), row.getString(2), row.getString(3));
            }
            limit();
            names.put(key, known);
        }
        return known;
    }

    /** The number of a name in a change; a lane or scope is created if it is new. Null for a task that is not there. */
    @Nullable
    Long number(String entity, Object name) throws SQLException {
        if (entity.equals(Entity.TASK)) {
            return one(session.sql(TASK_NUMBER).with(Values.bytes((String) name)));
        }
        List<String> parts = ((List<?>) name).stream().map(String.class::cast).toList();
        Named key = new Named(entity, parts);
        Long known = numbers.get(key);
        if (known == null) {
            boolean lane = entity.equals(Entity.LANE);
            known = one(bound(lane ? LANE_NUMBER : SCOPE_NUMBER, parts));
            if (known == null) {
                known = one(bound(lane ? ADD_LANE : ADD_SCOPE, parts));
            }
            limit();
            numbers.put(key, Objects.requireNonNull(known));
        }
        return known;
    }

    private void limit() {
        if (names.size() + numbers.size() >= MOST) {
            forget();
        }
    }

    private SqlStatement bound(String sql, List<String> parts) throws SQLException {
        return session.sql(sql).with(parts.get(0)).with(parts.get(1)).with(parts.get(2));
    }

    private static @Nullable Long one(SqlStatement statement) throws SQLException {
        try (ResultSet row = statement.query()) {
            return row.next() ? (Long) row.getLong(1) : null;
        }
    }
}
