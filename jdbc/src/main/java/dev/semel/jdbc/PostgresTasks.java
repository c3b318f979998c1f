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
            + " t.run, t.lineage, t.created_at";

    /** How far it has come: what {@link #task} reads behind that. */
    static final String PROGRESS = """
             CASE WHEN d.task IS NOT NULL THEN d.state WHEN r.task IS NOT NULL THEN 'running'
               WHEN w.task IS NOT NULL THEN 'waiting' ELSE 'pending' END,
             coalesce(d.attempt, r.attempt, w.attempt, q.attempt),
             coalesce(d.failures, r.failures, w.failures, q.failures),
             coalesce(d.vanished, r.vanished, w.vanished, q.vanished),
             coalesce(r.order_at, w.order_at, q.order_at) + t.priority * 60000::bigint,
             coalesce(d.asked, r.asked, false), d.finished_at, d.result, coalesce(d.error, e.error)
            """;

    /** Where it stands: the one row of it beside the task, and the newest error of its earlier attempts. */
    static final String STANDING = """
             LEFT JOIN semel.done d ON d.task = t.id
             LEFT JOIN semel.running r ON r.task = t.id
             LEFT JOIN semel.waiting w ON w.task = t.id
             LEFT JOIN semel.ready q ON q.task = t.id
             LEFT JOIN LATERAL (
               SELECT a.error FROM semel.attempt a WHERE a.task = t.id AND a.error IS NOT NULL
               ORDER BY a.number DESC LIMIT 1) e
               ON coalesce(d.attempt, r.attempt, w.attempt, q.attempt) > 0
            """;

    private static final String FIND =
            "SELECT " + SUBMITTED + "," + PROGRESS + " FROM semel.task t " + STANDING + " WHERE t.id = ANY (?)";

    private static final char MUTEX_SEPARATOR = '\u001F';

    private PostgresTasks() {}

    /** Reads tasks, in no order. */
    static List<Task> find(PostgresSession session, PostgresNames names, Collection<TaskId> ids) throws SQLException {
        return session.sql(FIND).ids(ids).list(row -> task(row, session, names));
    }

    static Task task(ResultSet row, PostgresSession session, PostgresNames names) throws SQLException {
        Long dueAt = PostgresStatement.longOrNull(row, 17);
        Long finishedAt = PostgresStatement.longOrNull(row, 19);
        TaskState state = TaskState.parse(row.getString(13));
        return submitted(
                row,
                session,
                names,
                new Progress(
                        state,
                        row.getInt(14),
                        row.getInt(15),
                        row.getInt(16),
                        dueAt == null || !state.isOpen() ? null : Instant.ofEpochMilli(dueAt),
                        row.getBoolean(18),
                        finishedAt == null ? null : Instant.ofEpochMilli(finishedAt),
                        row.getString(20),
                        row.getString(21)));
    }

    /** A task with what is known of its progress otherwise. */
    static Task submitted(ResultSet row, PostgresSession session, PostgresNames names, Progress progress)
            throws SQLException {
        TaskId id = PostgresStatement.id(row, 1);
        Lane lane = names.lane(session, row.getInt(2));
        String key = row.getString(9);
        TaskId lineage = PostgresStatement.idOrNull(row, 11);
        return new Task(
                id,
                lane.tenant(),
                lane.queue(),
                lane.type(),
                row.getString(3),
                options(row),
                key == null ? null : names.identity(session, row.getInt(8), key),
                row.getInt(10),
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
