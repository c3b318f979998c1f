package dev.semel.postgresql.read;

import dev.semel.postgresql.sql.Session;
import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.postgresql.table.KeyRecords;
import dev.semel.postgresql.table.KeyRecords.Found;
import dev.semel.postgresql.table.TagRows;
import dev.semel.postgresql.table.TaskReader;
import dev.semel.postgresql.transaction.Names;
import dev.semel.postgresql.transaction.RecordKey;
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

/** Looks up tasks, attempts and records. Each answer is of one statement, so of one state of the database. */
public final class TaskLookups {

    private static final String ATTEMPTS = """
            SELECT a.task, a.number, a.worker, a.started_at, a.ended_at, a.outcome, a.error FROM unnest(?) AS m (task)
            CROSS JOIN LATERAL (SELECT * FROM semel.attempt x WHERE x.task = m.task AND x.worker <> '' OFFSET 0) a
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

    private static final String WORKFLOWS = """
            SELECT u.id FROM (
              (SELECT t.id FROM semel.task t WHERE left(t.retry, 1) = '~' AND t.id < ? ORDER BY t.id DESC LIMIT ?)
              UNION
              (SELECT f.task FROM semel.flow f WHERE f.task < ? ORDER BY f.task DESC LIMIT ?)
            ) u ORDER BY u.id DESC LIMIT ?
            """;

    private static final String LANES = """
            SELECT id FROM semel.lane
            WHERE (?::text IS NULL OR tenant = ?) AND (?::text IS NULL OR queue = ?) AND (?::text IS NULL OR type = ?)
            """;

    // The columns of these lists are those that TaskReader.task reads. They are ordered by an id that is known
    // before
    // the task is looked up, so that no more tasks are looked up than a page has and its filters reject.
    private static final String LIST = """
            SELECT * FROM (
              SELECT t.id, t.lane, t.input, t.priority, t.retry, t.timeout, t.mutex, t.scope, t.key, t.run, t.lineage,
                t.created_at, t.series,
                CASE WHEN d.task IS NOT NULL THEN d.state
                  WHEN w.task IS NOT NULL THEN 'waiting'
                  WHEN q.task IS NOT NULL OR m.task IS NOT NULL THEN 'pending'
                  ELSE 'running' END AS state,
                coalesce(d.attempt, r.attempt, w.attempt, m.attempt, s.attempt, 0) AS attempt,
                coalesce(d.failures, r.failures, w.failures, m.failures, 0) AS failures,
                coalesce(d.vanished, r.vanished, w.vanished, m.vanished, 0) AS vanished,
                coalesce(r.order_at + t.priority * 60000::bigint, w.order_at + t.priority * 60000::bigint,
                  m.order_at + t.priority * 60000::bigint, s.until, t.start_at, t.created_at) AS due_at,
                coalesce(d.asked, r.asked, false) AS asked, d.finished_at, d.result, coalesce(d.error, e.error) AS last_error,
                t.id AS place
              FROM semel.task t
              LEFT JOIN LATERAL (SELECT * FROM semel.done x WHERE x.task = t.id LIMIT 1) d ON true
              LEFT JOIN LATERAL (SELECT * FROM semel.running x WHERE x.task = t.id LIMIT 1) r ON true
              LEFT JOIN LATERAL (SELECT * FROM semel.waiting x WHERE x.task = t.id LIMIT 1) w ON true
              LEFT JOIN LATERAL (SELECT * FROM semel.ready x WHERE x.task = t.id AND x.attempt > 0 LIMIT 1) m ON true
              LEFT JOIN LATERAL (
                SELECT x.task FROM semel.ready x WHERE x.lane = t.lane AND NOT x.suspect AND x.seq = t.seq
                  AND x.order_at = coalesce(t.start_at, t.created_at) - t.priority * 60000::bigint LIMIT 1) q ON true
              LEFT JOIN LATERAL (
                SELECT 1 AS attempt, l.until FROM semel.lease l
                WHERE d.task IS NULL AND r.task IS NULL AND w.task IS NULL AND q.task IS NULL AND m.task IS NULL
                  AND l.lane = t.lane AND l.last_seq >= t.seq AND l.first_seq <= t.seq AND t.id = ANY (l.tasks)
                ORDER BY l.last_seq LIMIT 1) s ON true
              LEFT JOIN LATERAL (
                SELECT coalesce(a.given_up, a.error) AS error FROM semel.attempt a WHERE a.task = t.id AND a.error IS NOT NULL
                ORDER BY a.number DESC LIMIT 1) e ON coalesce(d.attempt, r.attempt, w.attempt, m.attempt) > 0
            ) AS all_of
            WHERE place < ? AND (?::integer[] IS NULL OR lane = ANY (?)) AND (?::text[] IS NULL OR state = ANY (?))
            ORDER BY place DESC LIMIT ?
            """;

    private static final String LIST_DEAD = """
            WITH found AS NOT MATERIALIZED (
              SELECT task FROM semel.done WHERE state IN ('failed', 'timed_out')
            )
            SELECT * FROM (
              SELECT t.id, t.lane, t.input, t.priority, t.retry, t.timeout, t.mutex, t.scope, t.key, t.run, t.lineage,
                t.created_at, t.series,
                CASE WHEN d.task IS NOT NULL THEN d.state
                  WHEN w.task IS NOT NULL THEN 'waiting'
                  WHEN q.task IS NOT NULL OR m.task IS NOT NULL THEN 'pending'
                  ELSE 'running' END AS state,
                coalesce(d.attempt, r.attempt, w.attempt, m.attempt, s.attempt, 0) AS attempt,
                coalesce(d.failures, r.failures, w.failures, m.failures, 0) AS failures,
                coalesce(d.vanished, r.vanished, w.vanished, m.vanished, 0) AS vanished,
                coalesce(r.order_at + t.priority * 60000::bigint, w.order_at + t.priority * 60000::bigint,
                  m.order_at + t.priority * 60000::bigint, s.until, t.start_at, t.created_at) AS due_at,
                coalesce(d.asked, r.asked, false) AS asked, d.finished_at, d.result, coalesce(d.error, e.error) AS last_error,
                f.task AS place
              FROM found f
              CROSS JOIN LATERAL (SELECT * FROM semel.task x WHERE x.id = f.task LIMIT 1) t
              LEFT JOIN LATERAL (SELECT * FROM semel.done x WHERE x.task = t.id LIMIT 1) d ON true
              LEFT JOIN LATERAL (SELECT * FROM semel.running x WHERE x.task = t.id LIMIT 1) r ON true
              LEFT JOIN LATERAL (SELECT * FROM semel.waiting x WHERE x.task = t.id LIMIT 1) w ON true
              LEFT JOIN LATERAL (SELECT * FROM semel.ready x WHERE x.task = t.id AND x.attempt > 0 LIMIT 1) m ON true
              LEFT JOIN LATERAL (
                SELECT x.task FROM semel.ready x WHERE x.lane = t.lane AND NOT x.suspect AND x.seq = t.seq
                  AND x.order_at = coalesce(t.start_at, t.created_at) - t.priority * 60000::bigint LIMIT 1) q ON true
              LEFT JOIN LATERAL (
                SELECT 1 AS attempt, l.until FROM semel.lease l
                WHERE d.task IS NULL AND r.task IS NULL AND w.task IS NULL AND q.task IS NULL AND m.task IS NULL
                  AND l.lane = t.lane AND l.last_seq >= t.seq AND l.first_seq <= t.seq AND t.id = ANY (l.tasks)
                ORDER BY l.last_seq LIMIT 1) s ON true
              LEFT JOIN LATERAL (
                SELECT coalesce(a.given_up, a.error) AS error FROM semel.attempt a WHERE a.task = t.id AND a.error IS NOT NULL
                ORDER BY a.number DESC LIMIT 1) e ON coalesce(d.attempt, r.attempt, w.attempt, m.attempt) > 0
            ) AS all_of
            WHERE place < ? AND (?::integer[] IS NULL OR lane = ANY (?)) AND (?::text[] IS NULL OR state = ANY (?))
            ORDER BY place DESC LIMIT ?
            """;

    private static final String LIST_OPEN = """
            WITH found AS NOT MATERIALIZED (
              SELECT task FROM (
                SELECT task FROM semel.ready UNION ALL SELECT task FROM semel.running
                UNION ALL SELECT unnest(tasks) FROM semel.lease UNION ALL SELECT task FROM semel.waiting) o
              GROUP BY task
            )
            SELECT * FROM (
              SELECT t.id, t.lane, t.input, t.priority, t.retry, t.timeout, t.mutex, t.scope, t.key, t.run, t.lineage,
                t.created_at, t.series,
                CASE WHEN d.task IS NOT NULL THEN d.state
                  WHEN w.task IS NOT NULL THEN 'waiting'
                  WHEN q.task IS NOT NULL OR m.task IS NOT NULL THEN 'pending'
                  ELSE 'running' END AS state,
                coalesce(d.attempt, r.attempt, w.attempt, m.attempt, s.attempt, 0) AS attempt,
                coalesce(d.failures, r.failures, w.failures, m.failures, 0) AS failures,
                coalesce(d.vanished, r.vanished, w.vanished, m.vanished, 0) AS vanished,
                coalesce(r.order_at + t.priority * 60000::bigint, w.order_at + t.priority * 60000::bigint,
                  m.order_at + t.priority * 60000::bigint, s.until, t.start_at, t.created_at) AS due_at,
                coalesce(d.asked, r.asked, false) AS asked, d.finished_at, d.result, coalesce(d.error, e.error) AS last_error,
                f.task AS place
              FROM found f
              CROSS JOIN LATERAL (SELECT * FROM semel.task x WHERE x.id = f.task LIMIT 1) t
              LEFT JOIN LATERAL (SELECT * FROM semel.done x WHERE x.task = t.id LIMIT 1) d ON true
              LEFT JOIN LATERAL (SELECT * FROM semel.running x WHERE x.task = t.id LIMIT 1) r ON true
              LEFT JOIN LATERAL (SELECT * FROM semel.waiting x WHERE x.task = t.id LIMIT 1) w ON true
              LEFT JOIN LATERAL (SELECT * FROM semel.ready x WHERE x.task = t.id AND x.attempt > 0 LIMIT 1) m ON true
              LEFT JOIN LATERAL (
                SELECT x.task FROM semel.ready x WHERE x.lane = t.lane AND NOT x.suspect AND x.seq = t.seq
                  AND x.order_at = coalesce(t.start_at, t.created_at) - t.priority * 60000::bigint LIMIT 1) q ON true
              LEFT JOIN LATERAL (
                SELECT 1 AS attempt, l.until FROM semel.lease l
                WHERE d.task IS NULL AND r.task IS NULL AND w.task IS NULL AND q.task IS NULL AND m.task IS NULL
                  AND l.lane = t.lane AND l.last_seq >= t.seq AND l.first_seq <= t.seq AND t.id = ANY (l.tasks)
                ORDER BY l.last_seq LIMIT 1) s ON true
              LEFT JOIN LATERAL (
                SELECT coalesce(a.given_up, a.error) AS error FROM semel.attempt a WHERE a.task = t.id AND a.error IS NOT NULL
                ORDER BY a.number DESC LIMIT 1) e ON coalesce(d.attempt, r.attempt, w.attempt, m.attempt) > 0
            ) AS all_of
            WHERE place < ? AND (?::integer[] IS NULL OR lane = ANY (?)) AND (?::text[] IS NULL OR state = ANY (?))
            ORDER BY place DESC LIMIT ?
            """;

    private static final String LIST_IDENTITY = """
            WITH found AS NOT MATERIALIZED (
              SELECT task FROM semel.record WHERE scope = ? AND key = ?
              UNION SELECT task FROM semel.former WHERE scope = ? AND key = ?
            )
            SELECT * FROM (
              SELECT t.id, t.lane, t.input, t.priority, t.retry, t.timeout, t.mutex, t.scope, t.key, t.run, t.lineage,
                t.created_at, t.series,
                CASE WHEN d.task IS NOT NULL THEN d.state
                  WHEN w.task IS NOT NULL THEN 'waiting'
                  WHEN q.task IS NOT NULL OR m.task IS NOT NULL THEN 'pending'
                  ELSE 'running' END AS state,
                coalesce(d.attempt, r.attempt, w.attempt, m.attempt, s.attempt, 0) AS attempt,
                coalesce(d.failures, r.failures, w.failures, m.failures, 0) AS failures,
                coalesce(d.vanished, r.vanished, w.vanished, m.vanished, 0) AS vanished,
                coalesce(r.order_at + t.priority * 60000::bigint, w.order_at + t.priority * 60000::bigint,
                  m.order_at + t.priority * 60000::bigint, s.until, t.start_at, t.created_at) AS due_at,
                coalesce(d.asked, r.asked, false) AS asked, d.finished_at, d.result, coalesce(d.error, e.error) AS last_error,
                f.task AS place
              FROM found f
              CROSS JOIN LATERAL (SELECT * FROM semel.task x WHERE x.id = f.task LIMIT 1) t
              LEFT JOIN LATERAL (SELECT * FROM semel.done x WHERE x.task = t.id LIMIT 1) d ON true
              LEFT JOIN LATERAL (SELECT * FROM semel.running x WHERE x.task = t.id LIMIT 1) r ON true
              LEFT JOIN LATERAL (SELECT * FROM semel.waiting x WHERE x.task = t.id LIMIT 1) w ON true
              LEFT JOIN LATERAL (SELECT * FROM semel.ready x WHERE x.task = t.id AND x.attempt > 0 LIMIT 1) m ON true
              LEFT JOIN LATERAL (
                SELECT x.task FROM semel.ready x WHERE x.lane = t.lane AND NOT x.suspect AND x.seq = t.seq
                  AND x.order_at = coalesce(t.start_at, t.created_at) - t.priority * 60000::bigint LIMIT 1) q ON true
              LEFT JOIN LATERAL (
                SELECT 1 AS attempt, l.until FROM semel.lease l
                WHERE d.task IS NULL AND r.task IS NULL AND w.task IS NULL AND q.task IS NULL AND m.task IS NULL
                  AND l.lane = t.lane AND l.last_seq >= t.seq AND l.first_seq <= t.seq AND t.id = ANY (l.tasks)
                ORDER BY l.last_seq LIMIT 1) s ON true
              LEFT JOIN LATERAL (
                SELECT coalesce(a.given_up, a.error) AS error FROM semel.attempt a WHERE a.task = t.id AND a.error IS NOT NULL
                ORDER BY a.number DESC LIMIT 1) e ON coalesce(d.attempt, r.attempt, w.attempt, m.attempt) > 0
            ) AS all_of
            WHERE place < ? AND (?::integer[] IS NULL OR lane = ANY (?)) AND (?::text[] IS NULL OR state = ANY (?))
            ORDER BY place DESC LIMIT ?
            """;

    private static final String CLOCK = "SELECT coalesce(?, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)";

    private static final TaskId LAST = TaskId.parse("ffffffff-ffff-ffff-ffff-ffffffffffff");

    private final Session session;
    private final Names names;

    public TaskLookups(Session session, Names names) {
        this.session = session;
        this.names = names;
    }

    public Map<TaskId, Task> find(Collection<TaskId> ids) throws SQLException {
        Map<TaskId, Task> found = new HashMap<>();
        TaskReader.find(session, names, ids).forEach(task -> found.put(task.id(), task));
        Map<TaskId, Task> inOrder = new LinkedHashMap<>();
        for (TaskId id : ids) {
            Task task = found.get(id);
            if (task != null) {
                inOrder.put(id, task);
            }
        }
        return inOrder;
    }

    public Map<TaskId, List<Attempt>> attempts(Collection<TaskId> wanted) throws SQLException {
        // Each id once: the statement answers for each item.
        List<TaskId> ids = wanted.stream().distinct().toList();
        Map<TaskId, List<Attempt>> found = new LinkedHashMap<>();
        session.sql(ATTEMPTS)
                .ids(ids)
                .ids(ids)
                .ids(ids)
                .ids(ids)
                .list(row -> found.computeIfAbsent(SqlStatement.id(row, "task"), id -> new ArrayList<>())
                        .add(attempt(row)));
        return found;
    }

    private static Attempt attempt(ResultSet row) throws SQLException {
        Long endedAt = SqlStatement.longOrNull(row, "ended_at");
        String outcome = row.getString("outcome");
        return new Attempt(
                row.getInt("number"),
                row.getString("worker"),
                Instant.ofEpochMilli(row.getLong("started_at")),
                endedAt == null ? null : Instant.ofEpochMilli(endedAt),
                outcome == null ? null : TaskReader.outcome(outcome),
                row.getString("error"));
    }

    /** The ids of tasks, newest first, from one on. */
    private interface Ids {
        List<TaskId> before(TaskId last) throws SQLException;
    }

    private List<TaskId> workflows(TaskId before, int limit) throws SQLException {
        return session.sql(WORKFLOWS)
                .with(before)
                .with(limit)
                .with(before)
                .with(limit)
                .with(limit)
                .list(row -> SqlStatement.id(row, "id"));
    }

    /** Lists tasks whose ids are found by indexes of their own, newest first. */
    private Page list(TaskQuery query, Ids candidates) throws SQLException {
        List<Task> tasks = new ArrayList<>();
        TaskId before = query.before() == null ? LAST : query.before();
        List<TaskId> ids;
        do {
            ids = candidates.before(before);
            Map<TaskId, Task> found = find(ids);
            for (TaskId id : ids) {
                Task task = found.get(id);
                if (task != null && query.selects(task) && tasks.size() < query.limit()) {
                    tasks.add(task);
                }
            }
            before = ids.isEmpty() ? before : ids.getLast();
        } while (ids.size() == query.limit() && tasks.size() < query.limit());
        return new Page(
                tasks, tasks.size() < query.limit() ? null : tasks.getLast().id());
    }

    public Page list(TaskQuery query) throws SQLException {
        if (query.workflows()) {
            return list(query, before -> workflows(before, query.limit()));
        }
        String tag = query.tag();
        if (tag != null) {
            return list(query, before -> TagRows.list(session, query.tenant(), tag, before, query.limit()));
        }
        Identity identity = query.identity();
        OptionalInt scope = identity == null ? OptionalInt.empty() : names.findScope(session, identity);
        if (identity != null && scope.isEmpty()) {
            return new Page(List.of(), null);
        }
        SqlStatement statement = session.sql(statement(query));
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
                .list(row -> TaskReader.task(row, session, names));
        return new Page(
                tasks, tasks.size() < query.limit() ? null : tasks.getLast().id());
    }

    /** The list that begins with the fewest tasks. */
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
                .list(row -> row.getInt("id"));
    }

    public Map<Identity, KeyRecord> records(Collection<Identity> identities, @Nullable Long clock) throws SQLException {
        Map<RecordKey, Identity> keys = new LinkedHashMap<>();
        for (Identity identity : identities) {
            OptionalInt scope = names.findScope(session, identity);
            if (scope.isPresent()) {
                keys.put(new RecordKey(scope.getAsInt(), identity.key()), identity);
            }
        }
        Map<Identity, KeyRecord> records = new LinkedHashMap<>();
        Map<RecordKey, Found> found = KeyRecords.find(session, keys.keySet());
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
