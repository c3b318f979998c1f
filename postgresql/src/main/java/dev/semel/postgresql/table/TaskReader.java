package dev.semel.postgresql.table;

import dev.semel.postgresql.sql.Session;
import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.postgresql.transaction.Lane;
import dev.semel.postgresql.transaction.Names;
import dev.semel.store.Attempt.Outcome;
import dev.semel.store.OptionsText;
import dev.semel.store.Task;
import dev.semel.store.Task.Progress;
import dev.semel.store.TaskOptions;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads tasks and the state that they are in. Columns are read by position, because the driver looks up a name for every row.
 */
public final class TaskReader {

    // The task, the one row that says where it stands (d, r, w, m, q) or the lease that it shares with others (s), and
    // the newest error of its earlier attempts (e). A task that was never claimed is found by its place in ready. What
    // is in no table but task runs under a shared lease.
    private static final String FIND = """
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
              coalesce(d.asked, r.asked, false) AS asked, d.finished_at, d.result, coalesce(d.error, e.error) AS last_error
            FROM unnest(?) AS i (task)
            CROSS JOIN LATERAL (SELECT * FROM semel.task x WHERE x.id = i.task LIMIT 1) t
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
            """;

    private static final char MUTEX_SEPARATOR = '\u001F';

    private TaskReader() {}

    /** Reads tasks, in no order. */
    public static List<Task> find(Session session, Names names, Collection<TaskId> ids) throws SQLException {
        return session.sql(FIND).ids(ids).list(row -> task(row, session, names));
    }

    public static Task task(ResultSet row, Session session, Names names) throws SQLException {
        Long dueAt = SqlStatement.longOrNull(row, 18);
        Long finishedAt = SqlStatement.longOrNull(row, 20);
        TaskState state = TaskState.parse(row.getString(14));
        return submitted(
                row,
                session,
                names,
                new Progress(
                        state,
                        row.getInt(15),
                        row.getInt(16),
                        row.getInt(17),
                        dueAt == null || !state.isOpen() ? null : Instant.ofEpochMilli(dueAt),
                        row.getBoolean(19),
                        finishedAt == null ? null : Instant.ofEpochMilli(finishedAt),
                        row.getString(21),
                        row.getString(22)));
    }

    /** A task with what is known of its progress otherwise. */
    public static Task submitted(ResultSet row, Session session, Names names, Progress progress) throws SQLException {
        TaskId id = SqlStatement.id(row, 1);
        Lane lane = names.lane(session, row.getInt(2));
        String key = row.getString(9);
        TaskId lineage = SqlStatement.idOrNull(row, 11);
        TaskId series = SqlStatement.idOrNull(row, 13);
        return new Task(
                id,
                lane.tenant(),
                lane.queue(),
                lane.type(),
                row.getString(3),
                options(row),
                key == null ? null : names.identity(session, row.getInt(8), key),
                row.getInt(10),
                series == null ? id : series,
                lineage == null ? id : lineage,
                Instant.ofEpochMilli(row.getLong(12)),
                progress);
    }

    private static TaskOptions options(ResultSet row) throws SQLException {
        int priority = row.getInt(4);
        String retry = row.getString(5);
        Long timeout = SqlStatement.longOrNull(row, 6);
        String mutex = row.getString(7);
        return OptionsText.options(priority, retry, timeout == null ? null : Duration.ofMillis(timeout), mutex);
    }

    /** Returns how an attempt ended, by the word that is stored for it. */
    public static Outcome outcome(String word) {
        return Outcome.valueOf(word.toUpperCase(Locale.ROOT));
    }

    /** A mutex as others see it: of one tenant and type. Neither these nor the mutex itself have control characters. */
    public static @Nullable String mutex(Lane lane, @Nullable String mutex) {
        return mutex == null ? null : lane.tenant() + MUTEX_SEPARATOR + lane.type() + MUTEX_SEPARATOR + mutex;
    }

    /** An error as PostgreSQL can keep it: it has no character for zero. */
    public static @Nullable String storable(@Nullable String error) {
        return error == null || error.indexOf('\0') < 0 ? error : error.replace('\0', '\uFFFD');
    }
}
