package dev.semel.sqlite.transaction;

import dev.semel.sqlite.sql.Session;
import dev.semel.sqlite.sql.SqlStatement;
import dev.semel.sqlite.sql.StoredEnums;
import dev.semel.task.Identity;
import dev.semel.task.Scope;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;

/**
 * The numbers that stand for names in tasks and records, as far as one session has met them. A number never changes its
 * meaning, so what was read from a committed state stays true.
 */
public final class Names {

    // Names come from callers, so what is remembered of them has a limit; beyond it everything is read again.
    private static final int MOST = 50_000;

    private static final String FIND_LANE = "SELECT id FROM semel_lane WHERE queue = ? AND tenant = ? AND type = ?";
    private static final String ADD_LANE = "INSERT INTO semel_lane (queue, tenant, type) VALUES (?, ?, ?) RETURNING id";
    private static final String LANE = "SELECT tenant, queue, type FROM semel_lane WHERE id = ?";
    private static final String FIND_SCOPE = "SELECT id FROM semel_scope WHERE tenant = ? AND kind = ? AND name = ?";
    private static final String ADD_SCOPE =
            "INSERT INTO semel_scope (tenant, kind, name) VALUES (?, ?, ?) RETURNING id";
    private static final String SCOPE = "SELECT tenant, kind, name FROM semel_scope WHERE id = ?";

    private record LaneName(String queue, String tenant, String type) {}

    private record ScopeName(String tenant, Scope.Kind kind, String name) {}

    private final Session session;
    private final Map<LaneName, Lane> laneByName = new HashMap<>();
    private final Map<Integer, Lane> laneById = new HashMap<>();
    private final Map<ScopeName, Integer> scopeByName = new HashMap<>();
    private final Map<Integer, ScopeName> scopeById = new HashMap<>();

    Names(Session session) {
        this.session = session;
    }

    /** Forgets everything, because a transaction was rolled back that may have created some of it. */
    void forget() {
        laneByName.clear();
        laneById.clear();
        scopeByName.clear();
        scopeById.clear();
    }

    /** The lane of these names; created if it is new. */
    public Lane lane(String tenant, String queue, String type) throws SQLException {
        LaneName name = new LaneName(queue, tenant, type);
        Lane known = laneByName.get(name);
        if (known != null) {
            return known;
        }
        OptionalInt found =
                number(session.sql(FIND_LANE).with(queue).with(tenant).with(type));
        int id = found.isPresent()
                ? found.getAsInt()
                : number(session.sql(ADD_LANE).with(queue).with(tenant).with(type))
                        .orElseThrow();
        return remember(id, tenant, queue, type);
    }

    /** The lane of this number. */
    public Lane lane(int id) throws SQLException {
        Lane known = laneById.get(id);
        if (known != null) {
            return known;
        }
        try (ResultSet row = session.sql(LANE).with(id).query()) {
            if (!row.next()) {
                throw new IllegalStateException("A task names lane " + id + ", which is not stored");
            }
            return remember(id, row.getString(1), row.getString(2), row.getString(3));
        }
    }

    /** The number of an identity's scope; created if it is new. */
    public int scope(Identity identity) throws SQLException {
        OptionalInt found = findScope(identity);
        if (found.isPresent()) {
            return found.getAsInt();
        }
        int id = number(bound(ADD_SCOPE, identity)).orElseThrow();
        remember(id, nameOf(identity));
        return id;
    }

    /** The number of an identity's scope, if there is one. */
    public OptionalInt findScope(Identity identity) throws SQLException {
        ScopeName name = nameOf(identity);
        Integer known = scopeByName.get(name);
        if (known != null) {
            return OptionalInt.of(known);
        }
        OptionalInt found = number(bound(FIND_SCOPE, identity));
        if (found.isPresent()) {
            remember(found.getAsInt(), name);
        }
        return found;
    }

    /** The identity of a key in the scope of this number. */
    public Identity identity(int scope, String key) throws SQLException {
        ScopeName name = scopeById.get(scope);
        if (name == null) {
            try (ResultSet row = session.sql(SCOPE).with(scope).query()) {
                if (!row.next()) {
                    throw new IllegalStateException("A task names scope " + scope + ", which is not stored");
                }
                name = new ScopeName(row.getString(1), StoredEnums.scopeKind(row.getString(2)), row.getString(3));
            }
            remember(scope, name);
        }
        return new Identity(name.tenant(), name.kind(), name.name(), key);
    }

    private SqlStatement bound(String sql, Identity identity) throws SQLException {
        return session.sql(sql)
                .with(identity.tenant())
                .with(identity.scopeKind().word())
                .with(identity.scopeName());
    }

    private static ScopeName nameOf(Identity identity) {
        return new ScopeName(identity.tenant(), identity.scopeKind(), identity.scopeName());
    }

    private static OptionalInt number(SqlStatement statement) throws SQLException {
        try (ResultSet row = statement.query()) {
            return row.next() ? OptionalInt.of(row.getInt(1)) : OptionalInt.empty();
        }
    }

    private Lane remember(int id, String tenant, String queue, String type) {
        if (laneById.size() >= MOST) {
            forget();
        }
        Lane lane = new Lane(id, new Group(queue, tenant), type);
        laneByName.put(new LaneName(queue, tenant, type), lane);
        laneById.put(id, lane);
        return lane;
    }

    private void remember(int id, ScopeName name) {
        if (scopeById.size() >= MOST) {
            forget();
        }
        scopeByName.put(name, id);
        scopeById.put(id, name);
    }
}
