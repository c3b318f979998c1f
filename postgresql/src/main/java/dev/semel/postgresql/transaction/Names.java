package dev.semel.postgresql.transaction;

import dev.semel.postgresql.sql.Session;
import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.store.NewTask;
import dev.semel.task.Identity;
import dev.semel.task.Scope;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The numbers that stand for names in tasks and records, as far as this process has met them. A number means the same for
 * ever, so what was read from a committed state never becomes wrong. New ones are made in transactions of their own: a name
 * that was new in a transaction that stays open would make others who use it wait.
 */
public final class Names {

    // Names come from callers, so what is remembered of them has a limit; beyond it everything is read again.
    private static final int MOST = 50_000;

    private static final String FIND_LANE = "SELECT id FROM semel.lane WHERE queue = ? AND tenant = ? AND type = ?";
    private static final String ADD_LANE =
            "INSERT INTO semel.lane (queue, tenant, type) VALUES (?, ?, ?) ON CONFLICT DO NOTHING";
    private static final String LIMIT_LANE = "UPDATE semel.lane SET limited = true WHERE id = ? AND NOT limited";
    private static final String LANE = "SELECT queue, tenant, type FROM semel.lane WHERE id = ?";
    private static final String FIND_SCOPE = "SELECT id FROM semel.scope WHERE tenant = ? AND kind = ? AND name = ?";
    private static final String ADD_SCOPE =
            "INSERT INTO semel.scope (tenant, kind, name) VALUES (?, ?, ?) ON CONFLICT DO NOTHING";
    private static final String SCOPE = "SELECT tenant, kind, name FROM semel.scope WHERE id = ?";

    private record LaneName(String queue, String tenant, String type) {}

    private record ScopeName(String tenant, Scope.Kind kind, String name) {}

    private final Map<LaneName, Lane> laneByName = new ConcurrentHashMap<>();
    private final Map<Integer, Lane> laneById = new ConcurrentHashMap<>();
    // Lanes that are known to have, or to be about to have, a task with a time limit.
    private final Set<Integer> limitedLanes = ConcurrentHashMap.newKeySet();
    private final Map<ScopeName, Integer> scopeByName = new ConcurrentHashMap<>();
    private final Map<Integer, ScopeName> scopeById = new ConcurrentHashMap<>();

    /** The numbers of a task's names, if they are known without asking. */
    Optional<NumberedTask> known(NewTask task) {
        Lane lane = known(task.tenant(), task.queue(), task.type());
        NewTask.KeyRequest request = task.key();
        if (lane == null || (task.options().limits() != null && !limitedLanes.contains(lane.id()))) {
            return Optional.empty();
        }
        if (request == null) {
            return Optional.of(new NumberedTask(task, lane, null));
        }
        Integer scope = knownScope(request.identity());
        return scope == null
                ? Optional.empty()
                : Optional.of(new NumberedTask(
                        task, lane, new RecordKey(scope, request.identity().key())));
    }

    /** The numbers of a task's names, made if they are new. The session commits by itself. */
    NumberedTask numbered(Session session, NewTask task) throws SQLException {
        NewTask.KeyRequest request = task.key();
        Lane lane = lane(session, task.tenant(), task.queue(), task.type());
        if (task.options().limits() != null && !limitedLanes.contains(lane.id())) {
            // Before the task is visible: claims that see the task see this too.
            session.sql(LIMIT_LANE).with(lane.id()).update();
            limitedLanes.add(lane.id());
        }
        RecordKey key = request == null
                ? null
                : new RecordKey(
                        scope(session, request.identity()), request.identity().key());
        return new NumberedTask(task, lane, key);
    }

    private @Nullable Lane known(String tenant, String queue, String type) {
        return laneByName.get(new LaneName(queue, tenant, type));
    }

    private Lane lane(Session session, String tenant, String queue, String type) throws SQLException {
        Lane known = known(tenant, queue, type);
        if (known != null) {
            return known;
        }
        Integer id = findLane(session, tenant, queue, type);
        if (id == null) {
            session.sql(ADD_LANE)
                    .withText(queue)
                    .withText(tenant)
                    .withText(type)
                    .update();
            id = findLane(session, tenant, queue, type);
        }
        return remember(Objects.requireNonNull(id, "a lane that was just made is there"), queue, tenant, type);
    }

    private static @Nullable Integer findLane(Session session, String tenant, String queue, String type)
            throws SQLException {
        return session.sql(FIND_LANE)
                .withText(queue)
                .withText(tenant)
                .withText(type)
                .first(row -> row.getInt("id"));
    }

    /** The lane of this number. */
    public Lane lane(Session session, int id) throws SQLException {
        Lane known = laneById.get(id);
        if (known != null) {
            return known;
        }
        Lane found = session.sql(LANE)
                .with(id)
                .first(row -> remember(id, row.getString("queue"), row.getString("tenant"), row.getString("type")));
        if (found == null) {
            throw new IllegalStateException("A task names lane " + id + ", which is not stored");
        }
        return found;
    }

    /** Remembers a lane that was read. */
    public Lane remember(int id, String queue, String tenant, String type) {
        Lane known = laneById.get(id);
        if (known != null) {
            return known;
        }
        if (laneById.size() >= MOST) {
            laneById.clear();
            laneByName.clear();
            limitedLanes.clear();
        }
        Lane lane = new Lane(id, new Group(queue, tenant), type);
        laneByName.put(new LaneName(queue, tenant, type), lane);
        laneById.put(id, lane);
        return lane;
    }

    private @Nullable Integer knownScope(Identity identity) {
        return scopeByName.get(nameOf(identity));
    }

    private int scope(Session session, Identity identity) throws SQLException {
        OptionalInt found = findScope(session, identity);
        if (found.isEmpty()) {
            bound(session, ADD_SCOPE, identity).update();
            found = findScope(session, identity);
        }
        return found.orElseThrow();
    }

    /** The number of an identity's scope, if there is one. */
    public OptionalInt findScope(Session session, Identity identity) throws SQLException {
        Integer known = knownScope(identity);
        if (known != null) {
            return OptionalInt.of(known);
        }
        Integer found = bound(session, FIND_SCOPE, identity).first(row -> row.getInt("id"));
        if (found == null) {
            return OptionalInt.empty();
        }
        remember(found, nameOf(identity));
        return OptionalInt.of(found);
    }

    /** The identity of a key in the scope of this number. */
    public Identity identity(Session session, int scope, String key) throws SQLException {
        ScopeName name = scopeById.get(scope);
        if (name == null) {
            name = session.sql(SCOPE)
                    .with(scope)
                    .first(row -> new ScopeName(
                            row.getString("tenant"),
                            Scope.Kind.valueOf(row.getString("kind").toUpperCase(Locale.ROOT)),
                            row.getString("name")));
            if (name == null) {
                throw new IllegalStateException("A task names scope " + scope + ", which is not stored");
            }
            remember(scope, name);
        }
        return new Identity(name.tenant(), name.kind(), name.name(), key);
    }

    private static SqlStatement bound(Session session, String sql, Identity identity) throws SQLException {
        return session.sql(sql)
                .withText(identity.tenant())
                .withText(identity.scopeKind().word())
                .withText(identity.scopeName());
    }

    private static ScopeName nameOf(Identity identity) {
        return new ScopeName(identity.tenant(), identity.scopeKind(), identity.scopeName());
    }

    private void remember(int id, ScopeName name) {
        if (scopeById.size() >= MOST) {
            scopeById.clear();
            scopeByName.clear();
        }
        scopeByName.put(name, id);
        scopeById.put(id, name);
    }
}
