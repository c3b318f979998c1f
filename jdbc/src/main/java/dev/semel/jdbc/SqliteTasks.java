package dev.semel.jdbc;

import dev.semel.jdbc.SqliteNames.Lane;
import dev.semel.store.Attempt;
import dev.semel.store.Task;
import dev.semel.store.Task.Progress;
import dev.semel.store.TaskOptions;
import dev.semel.task.Identity;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows of {@code semel_task} as tasks and attempts, and the ends that several operations share. */
final class SqliteTasks {

    /** What {@link #task} reads. */
    static final String COLUMNS =
            "id, lane, input, priority, retry, timeout, scope, key, run, lineage, created_at, attempt,"
                    + " failures, vanished, cancel_requested, last_error, state, due_at, finished_at, result";

    /** What {@link #running} reads: the columns that can differ between tasks that were claimed together. */
    static final String RUNNING_COLUMNS =
            "id, lane, input, priority, retry, timeout, scope, key, run, lineage, created_at,"
                    + " attempt, failures, vanished, cancel_requested, last_error, seq";

    private static final int SEQ = 17;

    private static final String ARCHIVE = """
            INSERT INTO semel_attempt (task, number, worker, started_at, ended_at, outcome, error)
            SELECT seq, attempt, worker, started_at, ?2, ?3, ?4 FROM semel_task WHERE seq = ?1
            """;

    private static final String ARCHIVE_DEATH = """
            INSERT INTO semel_attempt (task, number, worker, started_at, ended_at, outcome, error)
            SELECT seq, attempt, worker, started_at, finished_at, outcome, last_error FROM semel_task WHERE seq = ?
            """;

    private static final String FINISH = """
            UPDATE semel_task SET state = ?2, order_at = NULL, due_at = NULL, after_id = NULL, finished_at = ?3,
              outcome = ?4, failures = failures + ?5, vanished = vanished + ?6, last_error = coalesce(?7, last_error),
              result = ?8
            WHERE seq = ?1
            """;

    // Not running, so it has no attempt of which an outcome could be kept.
    private static final String CANCEL = """
            UPDATE semel_task SET state = 'cancelled', order_at = NULL, due_at = NULL, after_id = NULL, finished_at = ?2,
              cancel_requested = 1
            WHERE seq = ?1
            """;

    private static final String ASK_TO_CANCEL = "UPDATE semel_task SET cancel_requested = 1 WHERE seq = ?";

    private static final String LET_GO = """
            UPDATE semel_task SET state = 'pending', after_id = NULL, order_at = due_at - priority * 60000
            WHERE after_id = ? AND state = 'waiting'
            RETURNING lane, due_at
            """;

    private static final String ASKED_AND_VANISHED = """
            SELECT seq, id FROM semel_task INDEXED BY semel_task_asked
            WHERE state = 'running' AND cancel_requested = 1 AND lane = ? AND due_at <= ? ORDER BY due_at LIMIT ?
            """;

    private static final String ALL_ASKED_AND_VANISHED = """
            SELECT seq, id FROM semel_task INDEXED BY semel_task_asked
            WHERE state = 'running' AND cancel_requested = 1 AND due_at <= ? LIMIT ?
            """;

    private SqliteTasks() {}

    /** How an attempt ended the task. */
    record End(
            TaskState state,
            Attempt.Outcome outcome,
            boolean failure,
            boolean vanished,
            @Nullable String error,
            @Nullable String result) {

        static final End VANISHED = new End(TaskState.CANCELLED, Attempt.Outcome.VANISHED, false, true, null, null);
    }

    static Task task(ResultSet row, SqliteNames names) throws SQLException {
        return read(
                row,
                names,
                SqliteWords.state(row.getString(17)),
                SqliteValues.instantOrNull(row, 18),
                SqliteValues.instantOrNull(row, 19),
                row.getString(20));
    }

    /** A task that was just claimed. */
    static Task running(ResultSet row, SqliteNames names, Instant leaseEnd) throws SQLException {
        return read(row, names, TaskState.RUNNING, leaseEnd, null, null);
    }

    static long seqOfRunning(ResultSet row) throws SQLException {
        return row.getLong(SEQ);
    }

    private static Task read(
            ResultSet row,
            SqliteNames names,
            TaskState state,
            @Nullable Instant dueAt,
            @Nullable Instant finishedAt,
            @Nullable String result)
            throws SQLException {
        TaskId id = SqliteValues.taskId(row, 1);
        Lane lane = names.lane(row.getInt(2));
        byte[] lineage = row.getBytes(10);
        return new Task(
                id,
                lane.tenant(),
                lane.queue(),
                lane.type(),
                row.getString(3),
                options(row),
                identity(row, names),
                row.getInt(9),
                lineage == null ? id : SqliteValues.taskId(lineage),
                SqliteValues.instant(row, 11),
                new Progress(
                        state,
                        row.getInt(12),
                        row.getInt(13),
                        row.getInt(14),
                        dueAt,
                        row.getInt(15) != 0,
                        finishedAt,
                        result,
                        row.getString(16)));
    }

    private static TaskOptions options(ResultSet row) throws SQLException {
        int priority = row.getInt(4);
        String retry = row.getString(5);
        Long timeout = SqliteValues.longOrNull(row, 6);
        if (priority == 0 && retry == null && timeout == null) {
            return TaskOptions.NONE;
        }
        return new TaskOptions(
                priority,
                retry == null ? null : RetryPolicy.parse(retry),
                timeout == null ? null : Duration.ofMillis(timeout));
    }

    private static @Nullable Identity identity(ResultSet row, SqliteNames names) throws SQLException {
        String key = row.getString(8);
        return key == null ? null : names.identity(row.getInt(7), key);
    }

    /** Moves the newest attempt from the task to the history; the caller clears it in the task. */
    static void archive(SqliteTransaction tx, long seq, Attempt.Outcome outcome, long endedAt, @Nullable String error)
            throws SQLException {
        tx.sql(ARCHIVE).with(seq).with(endedAt).with(outcome.word()).with(error).updateOne();
    }

    /** The same for the attempt that was the death of a task. */
    static void archiveDeath(SqliteTransaction tx, long seq) throws SQLException {
        tx.sql(ARCHIVE_DEATH).with(seq).updateOne();
    }

    /** Ends a running task with its newest attempt, and lets go whoever waited for that. */
    static void finish(SqliteTransaction tx, long seq, TaskId id, End end) throws SQLException {
        tx.sql(FINISH)
                .with(seq)
                .with(SqliteWords.word(end.state()))
                .with(tx.now())
                .with(end.outcome().word())
                .with(end.failure() ? 1 : 0)
                .with(end.vanished() ? 1 : 0)
                .with(end.error())
                .with(end.result())
                .updateOne();
        tx.news().ended(id);
        letGo(tx, id);
    }

    /** Ends a task that does not run. Nobody waits for such a task. */
    static void cancel(SqliteTransaction tx, long seq, TaskId id) throws SQLException {
        tx.sql(CANCEL).with(seq).with(tx.now()).updateOne();
        tx.news().ended(id);
    }

    static void askToCancel(SqliteTransaction tx, long seq) throws SQLException {
        tx.sql(ASK_TO_CANCEL).with(seq).updateOne();
    }

    /**
     * Ends tasks of a lane that were asked to cancel and whose lease has run out.
     *
     * @return how many, at most as many as the limit
     */
    static int endVanished(SqliteTransaction tx, Lane lane, int limit) throws SQLException {
        return endVanished(
                tx, tx.sql(ASKED_AND_VANISHED).with(lane.id()).with(tx.now()).with(limit));
    }

    /** The same for all lanes: one that nobody claims from must not keep a replaced task, and who waits for it, for ever. */
    static int endAllVanished(SqliteTransaction tx, int limit) throws SQLException {
        return endVanished(tx, tx.sql(ALL_ASKED_AND_VANISHED).with(tx.now()).with(limit));
    }

    private static int endVanished(SqliteTransaction tx, SqliteStatement asked) throws SQLException {
        record Vanished(long seq, TaskId id) {}
        List<Vanished> all = new ArrayList<>();
        try (ResultSet row = asked.query()) {
            while (row.next()) {
                all.add(new Vanished(row.getLong(1), SqliteValues.taskId(row, 2)));
            }
        }
        if (all.isEmpty() || tx.leasesHeld()) {
            return 0;
        }
        for (Vanished task : all) {
            finish(tx, task.seq(), task.id(), End.VANISHED);
        }
        return all.size();
    }

    private static void letGo(SqliteTransaction tx, TaskId ended) throws SQLException {
        record Free(int lane, long dueAt) {}
        List<Free> free = new ArrayList<>();
        try (ResultSet row = tx.sql(LET_GO).with(ended).query()) {
            while (row.next()) {
                free.add(new Free(row.getInt(1), row.getLong(2)));
            }
        }
        for (Free task : free) {
            tx.claimable(tx.names().lane(task.lane()), task.dueAt());
        }
    }
}
