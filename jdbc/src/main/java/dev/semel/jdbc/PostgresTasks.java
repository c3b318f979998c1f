package dev.semel.jdbc;

import dev.semel.jdbc.PostgresNames.Lane;
import dev.semel.store.Task;
import dev.semel.store.Task.Progress;
import dev.semel.store.TaskOptions;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows as tasks. */
final class PostgresTasks {

    /** What was submitted, of {@code t}: what {@link #task} reads first. */
    static final String SUBMITTED = "t.id, t.lane, t.input, t.priority, t.retry, t.timeout, t.mutex, t.scope, t.key,"
            + " t.run, t.lineage, t.created_at, t.series";

    /** How far it has come: what {@link #task} reads behind that. */
    static final String PROGRESS = """
             CASE WHEN d.task IS NOT NULL THEN d.state WHEN w.task IS NOT NULL THEN 'waiting'
               WHEN q.task IS NOT NULL OR m.task IS NOT NULL THEN 'pending' ELSE 'running' END,
             coalesce(d.attempt, r.attempt, w.attempt, m.attempt, s.attempt, 0),
             coalesce(d.failures, r.failures, w.failures, m.failures, 0),
             coalesce(d.vanished, r.vanished, w.vanished, m.vanished, 0),
             coalesce(r.order_at + t.priority * 60000::bigint, w.order_at + t.priority * 60000::bigint,
               m.order_at + t.priority * 60000::bigint, s.until, t.start_at, t.created_at),
             coalesce(d.asked, r.asked, false), d.finished_at, d.result, coalesce(d.error, e.error)
            """;

    /** The row in {@code ready} of {@code t}, if it was never claimed: its place is known, so no index by the task is needed. */
    static final String FIRST_PLACE = """
             q.lane = t.lane AND NOT q.suspect AND q.seq = t.seq
               AND q.order_at = coalesce(t.start_at, t.created_at) - t.priority * 60000::bigint
            """;

    /**
     * Where it stands: the one row of it beside the task, or the lease that it shares with others, and the newest error of
     * its earlier attempts.
     */
    static final String STANDING = """
             LEFT JOIN LATERAL (SELECT * FROM semel.done x WHERE x.task = t.id LIMIT 1) d ON true
             LEFT JOIN LATERAL (SELECT * FROM semel.running x WHERE x.task = t.id LIMIT 1) r ON true
             LEFT JOIN LATERAL (SELECT * FROM semel.waiting x WHERE x.task = t.id LIMIT 1) w ON true
             LEFT JOIN LATERAL (SELECT * FROM semel.ready x WHERE x.task = t.id AND x.attempt > 0 LIMIT 1) m ON true
             LEFT JOIN LATERAL (SELECT q.task FROM semel.ready q WHERE\s""" + FIRST_PLACE + """
               LIMIT 1) q ON true
             LEFT JOIN LATERAL (
               SELECT 1 AS attempt, l.until FROM semel.lease l
               WHERE d.task IS NULL AND r.task IS NULL AND w.task IS NULL AND q.task IS NULL AND m.task IS NULL AND\s""" + PostgresLeases.NEAR + """
                 AND t.id = ANY (l.tasks) ORDER BY l.last_seq LIMIT 1) s ON true
             LEFT JOIN LATERAL (
               SELECT coalesce(a.given_up, a.error) AS error FROM semel.attempt a WHERE a.task = t.id AND a.error IS NOT NULL
               ORDER BY a.number DESC LIMIT 1) e
               ON coalesce(d.attempt, r.attempt, w.attempt, m.attempt) > 0
            """;

    /**
     * The state of {@code t} if it is not in {@code done}; what is nowhere else runs. Not with {@code EXISTS}: for that the
     * server may read a whole table into memory once, and it decides so while the table is small.
     */
    static final String OPEN_STATE = """
             CASE WHEN (SELECT 1 FROM semel.ready q WHERE\s""" + FIRST_PLACE + """
               LIMIT 1) = 1 OR (SELECT 1 FROM semel.ready m WHERE m.task = t.id AND m.attempt > 0 LIMIT 1) = 1 THEN 'pending'
               WHEN (SELECT 1 FROM semel.waiting w WHERE w.task = t.id LIMIT 1) = 1 THEN 'waiting' ELSE 'running' END
            """;

    private static final String FIND = "SELECT " + SUBMITTED + "," + PROGRESS + """
             FROM unnest(?) AS i (task) CROSS JOIN LATERAL (SELECT * FROM semel.task x WHERE x.id = i.task LIMIT 1) t
            """ + STANDING;

    private static final char MUTEX_SEPARATOR = '\u001F';

    private PostgresTasks() {}

    /** Reads tasks, in no order. */
    static List<Task> find(PostgresSession session, PostgresNames names, Collection<TaskId> ids) throws SQLException {
        return session.sql(FIND).ids(ids).list(row -> task(row, session, names));
    }

    static Task task(ResultSet row, PostgresSession session, PostgresNames names) throws SQLException {
        Long dueAt = PostgresStatement.longOrNull(row, 18);
        Long finishedAt = PostgresStatement.longOrNull(row, 20);
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
    static Task submitted(ResultSet row, PostgresSession session, PostgresNames names, Progress progress)
            throws SQLException {
        TaskId id = PostgresStatement.id(row, 1);
        Lane lane = names.lane(session, row.getInt(2));
        String key = row.getString(9);
        TaskId lineage = PostgresStatement.idOrNull(row, 11);
        TaskId series = PostgresStatement.idOrNull(row, 13);
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
        Long timeout = PostgresStatement.longOrNull(row, 6);
        String mutex = row.getString(7);
        if (priority == 0 && retry == null && timeout == null && mutex == null) {
            return TaskOptions.NONE;
        }
        return new TaskOptions(
                priority,
                retry == null ? null : RetryPolicy.parse(retry),
                timeout == null ? null : Duration.ofMillis(timeout),
                mutex);
    }

    /** A mutex as others see it: of one tenant and type. Neither these nor the mutex itself have control characters. */
    static @Nullable String mutex(Lane lane, @Nullable String mutex) {
        return mutex == null ? null : lane.tenant() + MUTEX_SEPARATOR + lane.type() + MUTEX_SEPARATOR + mutex;
    }

    /** An error as PostgreSQL can keep it: it has no character for zero. */
    static @Nullable String storable(@Nullable String error) {
        return error == null || error.indexOf('\0') < 0 ? error : error.replace('\0', '\uFFFD');
    }
}
