package dev.semel.jdbc;

import dev.semel.jdbc.PostgresRecords.Found;
import dev.semel.jdbc.PostgresRecords.RecordKey;
import dev.semel.store.Attempt;
import dev.semel.store.KeyRecord;
import dev.semel.store.Page;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.task.Identity;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** Looking. Each answer is of one statement, so of one state of the database. */
final class PostgresLookups {

    private static final String ATTEMPTS = """
            SELECT a.task, a.number, a.worker, a.started_at, a.ended_at, a.outcome, a.error FROM unnest(?) AS m (task)
            CROSS JOIN LATERAL (SELECT * FROM semel.attempt x WHERE x.task = m.task OFFSET 0) a
            UNION ALL
            SELECT d.task, d.attempt, d.worker, d.started_at, d.finished_at, coalesce(d.outcome, d.state), d.error
            FROM unnest(?) AS m (task)
            CROSS JOIN LATERAL (
              SELECT * FROM semel.done x WHERE x.task = m.task AND x.worker IS NOT NULL LIMIT 1) d
            UNION ALL
            SELECT r.task, r.attempt, r.worker, r.started_at, NULL, NULL, NULL FROM unnest(?) AS m (task)
            CROSS JOIN LATERAL (SELECT * FROM semel.running x WHERE x.task = m.task LIMIT 1) r
            UNION ALL
            SELECT t.id, 1, p.worker, p.started_at, NULL, NULL, NULL FROM unnest(?) AS m (task)
            CROSS JOIN LATERAL (SELECT x.id, x.lane, x.seq FROM semel.task x WHERE x.id = m.task LIMIT 1) t
            CROSS JOIN LATERAL (
              SELECT l.worker, l.started_at FROM semel.lease l
              WHERE l.lane = t.lane AND l.last_seq >= t.seq AND l.first_seq <= t.seq
                AND get_bit(l.ended, array_position(l.tasks, t.id) - 1) = 0
              ORDER BY l.last_seq LIMIT 1) p
            ORDER BY 1, 2
            """;

    private static final String LANES = """
            SELECT id FROM semel.lane
            WHERE (?::text IS NULL OR tenant = ?) AND (?::text IS NULL OR queue = ?) AND (?::text IS NULL OR type = ?)
            """;

    // Of the task t, in order of its place: an id that is known before the task is looked up, so no more tasks are
    // looked
    // up than a page has and its filters reject.
    private static final String SELECT =
            "SELECT * FROM (SELECT " + PostgresTasks.SUBMITTED + "," + PostgresTasks.PROGRESS;

    private static final String OF_FOUND = """
            , f.task
             FROM found f CROSS JOIN LATERAL (SELECT * FROM semel.task x WHERE x.id = f.task LIMIT 1) t
            """ + PostgresTasks.STANDING;

    // Named here so that it can be compared.
    private static final String NAMES = """
            ) AS all_of (id, lane, input, priority, retry, timeout, mutex, scope, key, run, lineage, created_at, series,
              state, attempt, failures, vanished, due_at, asked, finished_at, result, last_error, place)
            """;

    private static final String FILTERED = """
            WHERE place < ? AND (?::integer[] IS NULL OR lane = ANY (?)) AND (?::text[] IS NULL OR state = ANY (?))
            ORDER BY place DESC LIMIT ?
            """;

    private static final String LIST = SELECT + ", t.id FROM semel.task t " + PostgresTasks.STANDING + NAMES + FILTERED;

    private static final String LIST_DEAD = """
            WITH found AS NOT MATERIALIZED (
              SELECT task FROM semel.done WHERE state IN ('failed', 'timed_out')
            )
            """ + SELECT + OF_FOUND + NAMES + FILTERED;

    private static final String LIST_OPEN = """
            WITH found AS NOT MATERIALIZED (
              SELECT task FROM (
                SELECT task FROM semel.ready UNION ALL SELECT task FROM semel.running
                UNION ALL SELECT unnest(tasks) FROM semel.lease UNION ALL SELECT task FROM semel.waiting) o
              GROUP BY task
            )
            """ + SELECT + OF_FOUND + NAMES + FILTERED;

    private static final String LIST_IDENTITY = """
            WITH found AS NOT MATERIALIZED (
              SELECT task FROM semel.record WHERE scope = ? AND key = ?
              UNION SELECT task FROM semel.former WHERE scope = ? AND key = ?
            )
            """ + SELECT + OF_FOUND + NAMES + FILTERED;

    private static final String CLOCK = "SELECT coalesce(?, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)";

    private static final TaskId LAST = TaskId.parse("ffffffff-ffff-ffff-ffff-ffffffffffff");

    private final PostgresSession session;
    private final PostgresNames names;

    PostgresLookups(PostgresSession session, PostgresNames names) {
        this.session = session;
        this.names = names;
    }

    Map<TaskId, Task> find(Collection<TaskId> ids) throws SQLException {
        Map<TaskId, Task> found = new HashMap<>();
        PostgresTasks.find(session, names, ids).forEach(task -> found.put(task.id(), task));
        Map<TaskId, Task> inOrder = new LinkedHashMap<>();
        for (TaskId id : ids) {
            Task task = found.get(id);
            if (task != null) {
                inOrder.put(id, task);
            }
        }
        return inOrder;
    }

    Map<TaskId, List<Attempt>> attempts(Collection<TaskId> wanted) throws SQLException {
        // Each id once: the statement answers for each item.
        List<TaskId> ids = wanted.stream().distinct().toList();
        Map<TaskId, List<Attempt>> found = new LinkedHashMap<>();
        session.sql(ATTEMPTS)
                .ids(ids)
                .ids(ids)
                .ids(ids)
                .ids(ids)
                .list(row -> found.computeIfAbsent(PostgresStatement.id(row, 1), id -> new ArrayList<>())
                        .add(attempt(row)));
        return found;
    }

    private static Attempt attempt(ResultSet row) throws SQLException {
        Long endedAt = PostgresStatement.longOrNull(row, 5);
        String outcome = row.getString(6);
        return new Attempt(
                row.getInt(2),
                row.getString(3),
                Instant.ofEpochMilli(row.getLong(4)),
                endedAt == null ? null : Instant.ofEpochMilli(endedAt),
                outcome == null ? null : PostgresSettling.outcome(outcome),
                row.getString(7));
    }

    Page list(TaskQuery query) throws SQLException {
        Identity identity = query.identity();
        OptionalInt scope = identity == null ? OptionalInt.empty() : names.findScope(session, identity);
        if (identity != null && scope.isEmpty()) {
            return new Page(List.of(), null);
        }
        PostgresStatement statement = session.sql(statement(query));
        if (identity != null) {
            statement
                    .with(scope.getAsInt())
                    .withText(identity.key())
                    .with(scope.getAsInt())
                    .withText(identity.key());
        }
        List<Integer> lanes = lanes(query);
        List<String> states = query.states().isEmpty()
                ? null
                : query.states().stream().map(TaskState::word).toList();
        List<Task> tasks = statement
                .with(query.before() == null ? LAST : query.before())
                .intsOrNull(lanes)
                .intsOrNull(lanes)
                .textsOrNull(states)
                .textsOrNull(states)
                .with(query.limit())
                .list(row -> PostgresTasks.task(row, session, names));
        return new Page(
                tasks, tasks.size() < query.limit() ? null : tasks.getLast().id());
    }

    /** Where what a query asks for is few among many, it begins there. */
    private static String statement(TaskQuery query) {
        if (query.identity() != null) {
            return LIST_IDENTITY;
        }
        if (query.states().isEmpty()) {
            return LIST;
        }
        return query.states().stream().allMatch(TaskState::isDead)
                ? LIST_DEAD
                : query.states().stream().allMatch(TaskState::isOpen) ? LIST_OPEN : LIST;
    }

    /** The lanes that a query is about, or null for all. */
    private @Nullable List<Integer> lanes(TaskQuery query) throws SQLException {
        if (query.tenant() == null && query.queue() == null && query.type() == null) {
            return null;
        }
        return session.sql(LANES)
                .withText(query.tenant())
                .withText(query.tenant())
                .withText(query.queue())
                .withText(query.queue())
                .withText(query.type())
                .withText(query.type())
                .list(row -> row.getInt(1));
    }

    Map<Identity, KeyRecord> records(Collection<Identity> identities, @Nullable Long clock) throws SQLException {
        Map<RecordKey, Identity> keys = new LinkedHashMap<>();
        for (Identity identity : identities) {
            OptionalInt scope = names.findScope(session, identity);
            if (scope.isPresent()) {
                keys.put(new RecordKey(scope.getAsInt(), identity.key()), identity);
            }
        }
        Map<Identity, KeyRecord> records = new LinkedHashMap<>();
        Map<RecordKey, Found> found = PostgresRecords.find(session, keys.keySet());
        if (found.isEmpty()) {
            return records;
        }
        long now = now(clock);
        for (Map.Entry<RecordKey, Identity> key : keys.entrySet()) {
            Found record = found.get(key.getKey());
            if (record != null) {
                records.put(key.getValue(), record(key.getValue(), record, now));
            }
        }
        return records;
    }

    /** The time: the test's, or the database's. */
    long now(@Nullable Long clock) throws SQLException {
        return Objects.requireNonNull(session.sql(CLOCK).withLong(clock).first(row -> row.getLong(1)));
    }

    private KeyRecord record(Identity identity, Found found, long now) throws SQLException {
        return new KeyRecord(
                identity,
                found.taskId(),
                names.lane(session, found.lane()).type(),
                found.inputHash(),
                found.run(),
                found.lineageOrOwn(),
                Instant.ofEpochMilli(found.createdAt()),
                Instant.ofEpochMilli(found.expiresAt()),
                found.windowPassed(now),
                found.state(),
                found.finishedAt(),
                found.dataGone(),
                found.duplicates(),
                found.lastDuplicateAt());
    }
}
