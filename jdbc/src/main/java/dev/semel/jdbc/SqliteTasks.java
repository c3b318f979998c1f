package dev.semel.jdbc;

import dev.semel.jdbc.SqliteNames.Lane;
import dev.semel.store.Attempt;
import dev.semel.store.DeadLetter;
import dev.semel.store.QueueSettings;
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
                    + " failures, vanished, cancel_requested, last_error, mutex, series, state, due_at, finished_at, result";

    /** What {@link #running} reads: the columns that can differ between tasks that were claimed together. */
    static final String RUNNING_COLUMNS =
            "id, lane, input, priority, retry, timeout, scope, key, run, lineage, created_at,"
                    + " attempt, failures, vanished, cancel_requested, last_error, mutex, series, seq";

    private static final int SEQ = 19;

    private static final char MUTEX_SEPARATOR = '\u001F';

    private static final String ARCHIVE = """
            INSERT INTO semel_attempt (task, number, worker, started_at, ended_at, outcome, error)
            SELECT seq, attempt, worker, started_at, ?2, ?3, ?4 FROM semel_task WHERE seq = ?1
            """;

    private static final String ARCHIVE_DEATH = """
            INSERT INTO semel_attempt (task, number, worker, started_at, ended_at, outcome, error, redriven)
            SELECT seq, attempt, worker, started_at, finished_at, outcome, last_error, 1 FROM semel_task WHERE seq = ?
            """;

    private static final String REDRIVEN = """
            UPDATE semel_attempt SET redriven = 1
            WHERE task = ?1 AND number = (SELECT attempt FROM semel_task WHERE seq = ?1)
            """;

    private static final String WAS_REDRIVEN = "SELECT redriven FROM semel_attempt WHERE task = ? AND number = ?";

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
            RETURNING lane, mutex
            """;

    // With the question whether the effects go as well, so that a task without any pays no statement for it.
    private static final String STRIP = """
            UPDATE semel_task SET input = NULL, result = NULL WHERE seq = ?
            RETURNING id, state, finished_at, scope, key, coalesce(lineage, id), state = 'completed'
              AND EXISTS (SELECT 1 FROM semel_effect e WHERE e.lineage = coalesce(semel_task.lineage, semel_task.id))
            """;

    private static final String FREE_MUTEX = """
            UPDATE semel_task SET state = 'pending', order_at = due_at - priority * 60000
            WHERE seq = (
              SELECT seq FROM semel_task INDEXED BY semel_task_mutex
              WHERE mutex = ? AND state IN ('running', 'waiting') AND state = 'waiting' AND after_id IS NULL
              ORDER BY due_at, seq LIMIT 1)
            RETURNING lane, due_at
            """;

    private static final String FIND = "SELECT " + COLUMNS + " FROM semel_task WHERE id = ?";

    private static final String ASK_TO_CANCEL = "UPDATE semel_task SET cancel_requested = 1 WHERE seq = ?";

    private static final String LET_GO = """
            UPDATE semel_task SET state = 'pending', after_id = NULL, order_at = due_at - priority * 60000
            WHERE after_id = ? AND state = 'waiting'
            RETURNING lane, due_at
            """;

    private static final String ASKED_AND_VANISHED = """
            SELECT seq, id, lane, mutex FROM semel_task INDEXED BY semel_task_asked
            WHERE state = 'running' AND cancel_requested = 1 AND lane = ? AND due_at <= ? ORDER BY due_at LIMIT ?
            """;

    private static final String ALL_ASKED_AND_VANISHED = """
            SELECT seq, id, lane, mutex FROM semel_task INDEXED BY semel_task_asked
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
                SqliteWords.state(row.getString(19)),
                SqliteValues.instantOrNull(row, 20),
                SqliteValues.instantOrNull(row, 21),
                row.getString(22));
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
        byte[] series = row.getBytes(18);
        return new Task(
                id,
                lane.tenant(),
                lane.queue(),
                lane.type(),
                row.getString(3),
                options(row),
                identity(row, names),
                row.getInt(9),
                series == null ? id : SqliteValues.taskId(series),
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
        String mutex = row.getString(17);
        if (priority == 0 && retry == null && timeout == null && mutex == null) {
            return TaskOptions.NONE;
        }
        return new TaskOptions(
                priority,
                retry == null ? null : RetryPolicy.parse(retry),
                timeout == null ? null : Duration.ofMillis(timeout),
                mutex == null ? null : mutex.substring(mutex.lastIndexOf(MUTEX_SEPARATOR) + 1));
    }

    /** A mutex as it is stored: of one tenant and type. Neither these nor the mutex itself have control characters. */
    static @Nullable String mutex(Lane lane, @Nullable String mutex) {
        return mutex == null ? null : lane.tenant() + MUTEX_SEPARATOR + lane.type() + MUTEX_SEPARATOR + mutex;
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

    /**
     * The same for the attempt that was the death of a task, which is redriven.
     *
     * @param attemptHere false if the attempt is in the history already, because it parked the task and that was given up
     */
    static void archiveDeath(SqliteTransaction tx, long seq, boolean attemptHere) throws SQLException {
        tx.sql(attemptHere ? ARCHIVE_DEATH : REDRIVEN).with(seq).updateOne();
    }

    /** Whether a task died with an attempt and was redriven from there. */
    static boolean wasRedriven(SqliteTransaction tx, long seq, int attempt) throws SQLException {
        try (ResultSet row = tx.sql(WAS_REDRIVEN).with(seq).with(attempt).query()) {
            return row.next() && row.getBoolean(1);
        }
    }

    /** A task that runs, as far as its end needs it. */
    record Running(long seq, TaskId id, int lane, @Nullable String mutex) {}

    /** Ends a running task with its newest attempt, and lets go whoever waited for that. */
    static void finish(SqliteTransaction tx, Running task, End end) throws SQLException {
        tx.sql(FINISH)
                .with(task.seq())
                .with(SqliteWords.word(end.state()))
                .with(tx.now())
                .with(end.outcome().word())
                .with(end.failure() ? 1 : 0)
                .with(end.vanished() ? 1 : 0)
                .with(end.error())
                .with(end.result())
                .updateOne();
        tx.news().ended(task.id());
        letGo(tx, task.id());
        freeMutex(tx, task.mutex());
        afterEnd(tx, task.seq(), tx.names().lane(task.lane()).queue(), end.state());
    }

    /** What the queue's settings want at the end of a task. */
    static void afterEnd(SqliteTransaction tx, long seq, String queue, TaskState end) throws SQLException {
        if (tx.queues().endsMatter()) {
            QueueSettings settings = tx.queues().of(queue);
            if (settings.keepsNothing() && !end.isDead()) {
                strip(tx, seq);
            }
            if (settings.isLimited()) {
                tx.news().due(queue); // a place is free
            }
        }
    }

    /** Retention 0: all that is left is the bare task, and its record remembers how it ended. */
    private static void strip(SqliteTransaction tx, long seq) throws SQLException {
        TaskId id;
        TaskState end;
        long finishedAt;
        int scope;
        String key;
        TaskId lineage;
        boolean effects;
        try (ResultSet row = tx.sql(STRIP).with(seq).query()) {
            if (!row.next()) {
                throw new IllegalStateException("A task that has just ended is not there");
            }
            id = SqliteValues.taskId(row, 1);
            end = SqliteWords.state(row.getString(2));
            finishedAt = row.getLong(3);
            scope = row.getInt(4);
            key = row.getString(5);
            lineage = SqliteValues.taskId(row, 6);
            effects = row.getBoolean(7);
        }
        if (key != null) {
            SqliteRecords.remember(tx, scope, key, id, end, finishedAt);
        }
        if (effects) {
            SqliteEffects.forgetUnlessContinued(tx, lineage, scope, key, id);
        }
    }

    /** A task that held a mutex, or could have taken it, does so no more: one that waits for it may. Tells if there was one. */
    static boolean freeMutex(SqliteTransaction tx, @Nullable String mutex) throws SQLException {
        if (mutex == null) {
            return false;
        }
        int lane;
        long dueAt;
        try (ResultSet row = tx.sql(FREE_MUTEX).with(mutex).query()) {
            if (!row.next()) {
                return false;
            }
            lane = row.getInt(1);
            dueAt = row.getLong(2);
        }
        tx.claimable(tx.names().lane(lane), dueAt);
        return true;
    }

    /**
     * Ends a task that does not run. Nobody waits for such a task to end, but for its mutex if it was pending.
     *
     * @return whether another task is pending from now on, because it waited for the mutex
     */
    static boolean cancel(SqliteTransaction tx, long seq, TaskId id, TaskState state) throws SQLException {
        int lane;
        String mutex;
        try (ResultSet row = tx.sql(CANCEL).with(seq).with(tx.now()).query()) {
            if (!row.next()) {
                throw new IllegalStateException("Task " + id + " is there and cannot be cancelled");
            }
            lane = row.getInt(1);
            mutex = row.getString(2);
        }
        tx.news().ended(id);
        boolean freed = freeMutex(tx, state == TaskState.PENDING ? mutex : null);
        afterEnd(tx, seq, tx.names().lane(lane).queue(), TaskState.CANCELLED);
        return freed;
    }

    /** Reads one task that must be there. */
    static Task find(SqliteTransaction tx, TaskId id) throws SQLException {
        try (ResultSet row = tx.sql(FIND).with(id).query()) {
            if (!row.next()) {
                throw new IllegalStateException("Task " + id + " is there and cannot be found");
            }
            return task(row, tx.names());
        }
    }

    /** Makes the task that tells of a death, if the queue of the dead one wants that. */
    static void tellDeadLetterQueue(SqliteTransaction tx, SqliteSession session, int lane, TaskId id)
            throws SQLException {
        String queue = tx.queues().of(tx.names().lane(lane).queue()).deadLettersTo();
        if (queue != null) {
            Task dead = find(tx, id);
            new SqliteSubmissions(tx, session).submit(List.of(DeadLetter.of(dead, queue, tx.nowInstant())));
        }
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
        List<Running> all = new ArrayList<>();
        try (ResultSet row = asked.query()) {
            while (row.next()) {
                all.add(new Running(row.getLong(1), SqliteValues.taskId(row, 2), row.getInt(3), row.getString(4)));
            }
        }
        if (all.isEmpty() || tx.leasesHeld()) {
            return 0;
        }
        for (Running task : all) {
            finish(tx, task, End.VANISHED);
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
