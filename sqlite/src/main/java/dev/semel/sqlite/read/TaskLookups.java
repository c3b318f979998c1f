package dev.semel.sqlite.read;

import dev.semel.sqlite.sql.ColumnValues;
import dev.semel.sqlite.sql.Session;
import dev.semel.sqlite.sql.SqlStatement;
import dev.semel.sqlite.sql.StoredEnums;
import dev.semel.sqlite.table.KeyRecords;
import dev.semel.sqlite.table.KeyRecords.Found;
import dev.semel.sqlite.table.TagRows;
import dev.semel.sqlite.table.TaskMapper;
import dev.semel.sqlite.transaction.Catalog;
import dev.semel.sqlite.transaction.Names;
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
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads of tasks and keys, in one state of the database. */
public final class TaskLookups {

    private static final String FIND = """
            SELECT id, lane, input, priority, retry, timeout, scope, key, run, lineage, created_at, attempt, failures,
              vanished, cancel_requested, last_error, mutex, series, state, due_at, finished_at, result
            FROM semel_task WHERE id = ?
            """;

    private static final String NEWEST_ATTEMPT = """
            SELECT seq, attempt, worker, started_at, finished_at, outcome, last_error, state FROM semel_task WHERE id = ?
            """;

    private static final String EARLIER_ATTEMPTS = """
            SELECT number, worker, started_at, ended_at, outcome, error FROM semel_attempt WHERE task = ? AND worker <> ''
            ORDER BY number
            """;

    private static final String LANES = """
            SELECT json_group_array(id) FROM semel_lane
            WHERE (?1 IS NULL OR tenant = ?1) AND (?2 IS NULL OR queue = ?2) AND (?3 IS NULL OR type = ?3)
            """;

    private static final String WORKFLOWS = """
            SELECT id FROM (
              SELECT * FROM (SELECT id FROM semel_task WHERE substr(retry, 1, 1) = '~' AND id < ?1 ORDER BY id DESC LIMIT ?2)
              UNION
              SELECT * FROM (SELECT task FROM semel_flow WHERE task < ?1 ORDER BY task DESC LIMIT ?2)
            ) ORDER BY id DESC LIMIT ?2
            """;

    private static final String LIST = """
            SELECT id, lane, input, priority, retry, timeout, scope, key, run, lineage, created_at, attempt, failures,
              vanished, cancel_requested, last_error, mutex, series, state, due_at, finished_at, result
            FROM semel_task
            WHERE id < ?1
              AND (?2 IS NULL OR lane IN (SELECT value FROM json_each(?2)))
              AND (?3 IS NULL OR state IN (SELECT value FROM json_each(?3)))
            ORDER BY id DESC LIMIT ?4
            """;

    private static final String LIST_DEAD = """
            SELECT id, lane, input, priority, retry, timeout, scope, key, run, lineage, created_at, attempt, failures,
              vanished, cancel_requested, last_error, mutex, series, state, due_at, finished_at, result
            FROM semel_task INDEXED BY semel_task_dead
            WHERE state IN ('failed', 'timed_out') AND id < ?1
              AND (?2 IS NULL OR lane IN (SELECT value FROM json_each(?2)))
              AND (?3 IS NULL OR state IN (SELECT value FROM json_each(?3)))
            ORDER BY id DESC LIMIT ?4
            """;

    private static final String LIST_IDENTITY = """
            SELECT id, lane, input, priority, retry, timeout, scope, key, run, lineage, created_at, attempt, failures,
              vanished, cancel_requested, last_error, mutex, series, state, due_at, finished_at, result
            FROM semel_task
            WHERE id IN (
                SELECT task_id FROM semel_record WHERE scope = ?5 AND key = ?6
                UNION ALL
                SELECT id FROM semel_task INDEXED BY semel_task_former
                WHERE former_hash IS NOT NULL AND scope = ?5 AND key = ?6)
              AND id < ?1
              AND (?2 IS NULL OR lane IN (SELECT value FROM json_each(?2)))
              AND (?3 IS NULL OR state IN (SELECT value FROM json_each(?3)))
            ORDER BY id DESC LIMIT ?4
            """;

    // Greater than every id, which has 16 bytes: then the statement can always begin its search at an id.
    private static final byte[] AFTER_ALL = new byte[17];

    static {
        Arrays.fill(AFTER_ALL, (byte) 0xff);
    }

    private final Session session;
    private final Names names;

    public TaskLookups(Catalog catalog) {
        this.session = catalog.session();
        this.names = catalog.names();
    }

    public Map<TaskId, Task> find(Collection<TaskId> ids) throws SQLException {
        Map<TaskId, Task> found = new LinkedHashMap<>();
        for (TaskId id : ids) {
            try (ResultSet row = session.sql(FIND).with(id).query()) {
                if (row.next()) {
                    found.put(id, TaskMapper.task(row, names));
                }
            }
        }
        return found;
    }

    public Map<TaskId, List<Attempt>> attempts(Collection<TaskId> ids) throws SQLException {
        Map<TaskId, List<Attempt>> found = new LinkedHashMap<>();
        for (TaskId id : ids) {
            List<Attempt> attempts = attempts(id);
            if (!attempts.isEmpty()) {
                found.put(id, attempts);
            }
        }
        return found;
    }

    private List<Attempt> attempts(TaskId id) throws SQLException {
        long seq;
        Attempt newest;
        try (ResultSet row = session.sql(NEWEST_ATTEMPT).with(id).query()) {
            if (!row.next()) {
                return List.of();
            }
            seq = row.getLong(1);
            newest = newest(row);
        }
        List<Attempt> attempts = new ArrayList<>();
        try (ResultSet row = session.sql(EARLIER_ATTEMPTS).with(seq).query()) {
            while (row.next()) {
                attempts.add(new Attempt(
                        row.getInt(1),
                        row.getString(2),
                        ColumnValues.instant(row, 3),
                        ColumnValues.instant(row, 4),
                        StoredEnums.outcome(row.getString(5)),
                        row.getString(6)));
            }
        }
        if (newest != null) {
            attempts.add(newest);
        }
        return attempts;
    }

    private static @Nullable Attempt newest(ResultSet row) throws SQLException {
        String worker = row.getString(3);
        if (worker == null) {
            return null;
        }
        String word = row.getString(6);
        Attempt.Outcome outcome = word == null ? null : StoredEnums.outcome(word);
        Instant endedAt = outcome == null ? null : ColumnValues.instantOrNull(row, 5);
        // A task that is timed out has the error of that, whatever its attempt reported.
        boolean failed =
                outcome != null && (hasError(outcome) || row.getString(8).equals("timed_out"));
        String error = failed ? row.getString(7) : null;
        return new Attempt(row.getInt(2), worker, ColumnValues.instant(row, 4), endedAt, outcome, error);
    }

    private static boolean hasError(Attempt.Outcome outcome) {
        return switch (outcome) {
            case RETRIED, FAILED, TIMED_OUT, PARKED, WAITED -> true;
            case COMPLETED, PUT_BACK, CANCELLED, VANISHED -> false;
        };
    }

    /** The ids of tasks, newest first, from one on. */
    private interface Ids {
        List<TaskId> before(byte[] last) throws SQLException;
    }

    private List<TaskId> workflows(byte[] before, int limit) throws SQLException {
        List<TaskId> ids = new ArrayList<>();
        try (ResultSet row = session.sql(WORKFLOWS).with(before).with(limit).query()) {
            while (row.next()) {
                ids.add(ColumnValues.taskId(row, 1));
            }
        }
        return ids;
    }

    /** Lists tasks whose ids are found by indexes of their own, newest first. */
    private Page list(TaskQuery query, Ids candidates) throws SQLException {
        List<Task> tasks = new ArrayList<>();
        byte[] before = query.before() == null ? AFTER_ALL : ColumnValues.bytes(query.before());
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
            before = ids.isEmpty() ? before : ColumnValues.bytes(ids.getLast());
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
        OptionalInt scope = identity == null ? OptionalInt.empty() : names.findScope(identity);
        if (identity != null && scope.isEmpty()) {
            return new Page(List.of(), null);
        }
        boolean onlyDead = !query.states().isEmpty() && query.states().stream().allMatch(TaskState::isDead);
        String sql = identity != null ? LIST_IDENTITY : onlyDead ? LIST_DEAD : LIST;
        SqlStatement statement = session.sql(sql)
                .with(query.before() == null ? AFTER_ALL : ColumnValues.bytes(query.before()))
                .with(lanes(query))
                .with(states(query))
                .with(query.limit());
        if (identity != null) {
            statement.with(scope.getAsInt()).with(identity.key());
        }
        List<Task> tasks = new ArrayList<>();
        try (ResultSet row = statement.query()) {
            while (row.next()) {
                tasks.add(TaskMapper.task(row, names));
            }
        }
        return new Page(
                tasks, tasks.size() < query.limit() ? null : tasks.getLast().id());
    }

    /** The lanes that a query is about in JSON, or null for all. */
    private @Nullable String lanes(TaskQuery query) throws SQLException {
        if (query.tenant() == null && query.queue() == null && query.type() == null) {
            return null;
        }
        try (ResultSet row = session.sql(LANES)
                .with(query.tenant())
                .with(query.queue())
                .with(query.type())
                .query()) {
            row.next();
            return row.getString(1);
        }
    }

    private static @Nullable String states(TaskQuery query) {
        return query.states().isEmpty()
                ? null
                : query.states().stream()
                        .map(state -> '"' + StoredEnums.word(state) + '"')
                        .collect(Collectors.joining(",", "[", "]"));
    }

    public Map<Identity, KeyRecord> records(Collection<Identity> identities, long now) throws SQLException {
        Map<Identity, KeyRecord> records = new LinkedHashMap<>();
        for (Identity identity : identities) {
            OptionalInt scope = names.findScope(identity);
            Found found = scope.isEmpty() ? null : KeyRecords.find(session, scope.getAsInt(), identity.key());
            if (found != null) {
                records.put(
                        identity,
                        found.seen(
                                identity,
                                names.lane(found.lane()).type(),
                                KeyRecords.counted(session, scope.getAsInt(), identity.key()),
                                now));
            }
        }
        return records;
    }
}
