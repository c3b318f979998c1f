package dev.semel.sqlite.table;

import dev.semel.sqlite.sql.ColumnValues;
import dev.semel.sqlite.sql.SqlStatement;
import dev.semel.sqlite.sql.StoredEnums;
import dev.semel.sqlite.transaction.Lane;
import dev.semel.sqlite.transaction.Transaction;
import dev.semel.store.Attempt;
import dev.semel.store.AttemptEnd;
import dev.semel.store.Consequences;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The ends of attempts and tasks that several operations share. */
public final class TaskEnds {

    private static final String PARK = """
            UPDATE semel_task SET state = 'waiting', order_at = NULL, after_id = x'', last_error = ?2, claim = NULL,
              worker = NULL, started_at = NULL
            WHERE seq = ?1
            """;

    // A workflow that waits for its inbox waits, in this column, for itself: neither another end nor a mutex makes it
    // pending.
    private static final String LISTEN = """
            UPDATE semel_task SET state = 'waiting', order_at = NULL, after_id = id, last_error = coalesce(?2, last_error),
              claim = NULL, worker = NULL, started_at = NULL
            WHERE seq = ?1
            """;

    private static final String FINISH = """
            UPDATE semel_task SET state = ?2, order_at = NULL, due_at = NULL, after_id = NULL, finished_at = ?3,
              outcome = ?4, failures = failures + ?5, vanished = vanished + ?6, last_error = coalesce(?7, last_error),
              result = ?8
            WHERE seq = ?1
            """;

    // Pending with itself in after_id is a workflow that continues after a wait.
    private static final String BACK_TO_PENDING = """
            UPDATE semel_task SET state = 'pending', order_at = ?2 - priority * 60000, due_at = ?2,
              after_id = iif(?5, id, NULL), failures = failures + ?3, last_error = coalesce(?4, last_error), claim = NULL,
              worker = NULL, started_at = NULL
            WHERE seq = ?1
            """;

    // Not running, so it has no attempt whose outcome could be kept.
    private static final String CANCEL = """
            UPDATE semel_task SET state = 'cancelled', order_at = NULL, due_at = NULL, after_id = NULL, finished_at = ?2,
              cancel_requested = 1
            WHERE seq = ?1
            RETURNING lane, mutex, EXISTS (SELECT 1 FROM semel_watch WHERE step = semel_task.id)
            """;

    // As a cancellation, but under the next number of its attempts, so that a redrive can name this end.
    private static final String EXPIRE = """
            UPDATE semel_task SET state = 'timed_out', order_at = NULL, due_at = NULL, after_id = NULL, finished_at = ?2,
              attempt = attempt + 1, last_error = ?3
            WHERE seq = ?1
            RETURNING lane, mutex, EXISTS (SELECT 1 FROM semel_watch WHERE step = semel_task.id)
            """;

    // Also reads whether there are effects or a history to delete, so that a task without any pays no statement for it.
    private static final String STRIP = """
            UPDATE semel_task SET input = NULL, result = NULL WHERE seq = ?1
            RETURNING id, state, finished_at, scope, key, coalesce(lineage, id), ?2
              AND EXISTS (SELECT 1 FROM semel_effect e WHERE e.lineage = coalesce(semel_task.lineage, semel_task.id)),
              EXISTS (SELECT 1 FROM semel_flow f WHERE f.task = semel_task.id)
            """;

    private static final String FREE_MUTEX = """
            UPDATE semel_task SET state = 'pending', order_at = due_at - priority * 60000,
              after_id = (SELECT f.task FROM semel_flow f WHERE f.task = semel_task.id AND f.waited = semel_task.attempt)
            WHERE seq = (
              SELECT seq FROM semel_task INDEXED BY semel_task_mutex
              WHERE mutex = ? AND state IN ('running', 'waiting') AND state = 'waiting' AND after_id IS NULL
              ORDER BY due_at, seq LIMIT 1)
            RETURNING lane, due_at
            """;

    private static final String ASK_TO_CANCEL = "UPDATE semel_task SET cancel_requested = 1 WHERE seq = ?";

    private static final String WAKE_SUCCESSORS = """
            UPDATE semel_task SET state = 'pending', after_id = NULL, order_at = due_at - priority * 60000
            WHERE after_id = ? AND state = 'waiting'
            RETURNING lane, due_at
            """;

    private static final String ASKED_AND_VANISHED = """
            SELECT seq, id, lane, mutex, EXISTS (SELECT 1 FROM semel_watch WHERE step = semel_task.id)
            FROM semel_task INDEXED BY semel_task_asked
            WHERE state = 'running' AND cancel_requested = 1 AND lane = ? AND due_at <= ? ORDER BY due_at LIMIT ?
            """;

    private static final String ALL_ASKED_AND_VANISHED = """
            SELECT seq, id, lane, mutex, EXISTS (SELECT 1 FROM semel_watch WHERE step = semel_task.id)
            FROM semel_task INDEXED BY semel_task_asked
            WHERE state = 'running' AND cancel_requested = 1 AND due_at <= ? LIMIT ?
            """;

    private TaskEnds() {}

    /** Ends the newest attempt of a running task, and applies the consequences, except for a dead letter. */
    public static Consequences end(Transaction tx, TaskReference task, AttemptEnd end) throws SQLException {
        switch (end.next()) {
            case AttemptEnd.Ended ended -> finish(tx, task, end, ended);
            case AttemptEnd.Pending pending -> backToPending(tx, task, end, ColumnValues.millis(pending.dueAt()));
            case AttemptEnd.Parked parked -> park(tx, task, end);
            case AttemptEnd.Listening listening -> {
                keep(tx, task, end);
                tx.sql(LISTEN).with(task.seq()).with(end.error()).updateOne();
            }
        }
        Consequences then = consequences(tx, task.lane(), TaskState.RUNNING, end.state());
        wake(tx, task, then);
        afterEnd(tx, task, then);
        return then;
    }

    private static void finish(Transaction tx, TaskReference task, AttemptEnd end, AttemptEnd.Ended ended)
            throws SQLException {
        tx.sql(FINISH)
                .with(task.seq())
                .with(StoredEnums.word(ended.state()))
                .with(tx.now())
                .with(end.outcome().word())
                .with(end.failures())
                .with(end.vanished())
                .with(end.error())
                .with(ended.result())
                .updateOne();
        ended(tx, task.id(), task.watched());
    }

    /** Notifies those who wait for the end of a task. Before its data is deleted, because they get its result. */
    public static void ended(Transaction tx, TaskId id, boolean watched) throws SQLException {
        tx.news().ended(id);
        if (watched) {
            FlowRows.ended(tx, id);
        }
    }

    private static void backToPending(Transaction tx, TaskReference task, AttemptEnd end, long dueAt)
            throws SQLException {
        keep(tx, task, end);
        tx.sql(BACK_TO_PENDING)
                .with(task.seq())
                .with(dueAt)
                .with(end.failures())
                .with(end.error())
                .with(end.outcome() == Attempt.Outcome.WAITED ? 1 : 0)
                .updateOne();
        tx.claimable(tx.names().lane(task.lane()), dueAt);
    }

    private static void keep(Transaction tx, TaskReference task, AttemptEnd end) throws SQLException {
        if (end.isKept()) {
            AttemptHistory.add(tx, task.seq(), end);
        }
    }

    private static void park(Transaction tx, TaskReference task, AttemptEnd end) throws SQLException {
        AttemptHistory.add(tx, task.seq(), end);
        tx.sql(PARK).with(task.seq()).with(end.error()).updateOne();
    }

    /** What follows from a change of the state of a task of this lane. */
    public static Consequences consequences(Transaction tx, int lane, TaskState before, TaskState after)
            throws SQLException {
        return Consequences.of(
                before, after, tx.queues().of(tx.names().lane(lane).queue()));
    }

    /** Wakes the tasks that waited for a task, and returns whether one waited for its mutex. */
    private static boolean wake(Transaction tx, TaskReference task, Consequences then) throws SQLException {
        if (then.wakesSuccessor()) {
            wakeSuccessors(tx, task.id());
        }
        return then.freesMutex() && freeMutex(tx, task.mutex());
    }

    /** Applies the settings of the queue when the state of a task has changed. */
    public static void afterEnd(Transaction tx, TaskReference task, Consequences then) throws SQLException {
        if (then.strips()) {
            strip(tx, task.seq(), then);
        }
        if (then.freesPlace()) {
            tx.news().due(tx.names().lane(task.lane()).queue());
        }
    }

    /** Deletes input and result (retention 0). The record of the key keeps how the task ended. */
    private static void strip(Transaction tx, long seq, Consequences then) throws SQLException {
        TaskId id;
        TaskState end;
        long finishedAt;
        int scope;
        String key;
        TaskId lineage;
        boolean effects;
        boolean history;
        try (ResultSet row =
                tx.sql(STRIP).with(seq).with(then.forgetsEffects() ? 1 : 0).query()) {
            if (!row.next()) {
                throw new IllegalStateException("Expected a task that has just ended to be stored, but it is not");
            }
            id = ColumnValues.taskId(row, 1);
            end = StoredEnums.state(row.getString(2));
            finishedAt = row.getLong(3);
            scope = row.getInt(4);
            key = row.getString(5);
            lineage = ColumnValues.taskId(row, 6);
            effects = row.getBoolean(7);
            history = row.getBoolean(8);
        }
        if (key != null) {
            KeyRecords.remember(tx, scope, key, id, end, finishedAt);
        }
        if (effects) {
            EffectRows.forgetUnlessContinued(tx, lineage, scope, key, id);
        }
        if (history) {
            FlowRows.forget(tx, id);
        }
    }

    /** Wakes the first task that waits for a mutex, and returns whether there was one. */
    private static boolean freeMutex(Transaction tx, @Nullable String mutex) throws SQLException {
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
     * Ends a task that does not run.
     *
     * @return whether another task is pending from now on, because it waited for the mutex
     */
    public static boolean cancel(Transaction tx, long seq, TaskId id, TaskState state) throws SQLException {
        TaskReference task = changed(tx.sql(CANCEL).with(seq).with(tx.now()), seq, id);
        ended(tx, id, task.watched());
        Consequences then = consequences(tx, task.lane(), state, TaskState.CANCELLED);
        boolean woken = wake(tx, task, then);
        afterEnd(tx, task, then);
        return woken;
    }

    /** Ends a task that does not run because a time limit has passed, and applies the consequences, except for a dead letter. */
    public static Consequences expire(Transaction tx, long seq, TaskId id, TaskState state, String error)
            throws SQLException {
        TaskReference task = changed(tx.sql(EXPIRE).with(seq).with(tx.now()).with(error), seq, id);
        ended(tx, id, task.watched());
        Consequences then = consequences(tx, task.lane(), state, TaskState.TIMED_OUT);
        boolean unused = wake(tx, task, then);
        afterEnd(tx, task, then);
        return then;
    }

    private static TaskReference changed(SqlStatement update, long seq, TaskId id) throws SQLException {
        try (ResultSet row = update.query()) {
            if (!row.next()) {
                throw new IllegalStateException("Expected task " + id + " to be stored, but it is not");
            }
            return new TaskReference(seq, id, row.getInt(1), row.getString(2), row.getBoolean(3));
        }
    }

    public static void askToCancel(Transaction tx, long seq) throws SQLException {
        tx.sql(ASK_TO_CANCEL).with(seq).updateOne();
    }

    /** Returns tasks of a lane that were asked to cancel and whose lease has expired. */
    public static List<TaskReference> vanished(Transaction tx, Lane lane, int limit) throws SQLException {
        return references(
                tx.sql(ASKED_AND_VANISHED).with(lane.id()).with(tx.now()).with(limit));
    }

    /** The same for all lanes. */
    public static List<TaskReference> allVanished(Transaction tx, int limit) throws SQLException {
        return references(tx.sql(ALL_ASKED_AND_VANISHED).with(tx.now()).with(limit));
    }

    private static List<TaskReference> references(SqlStatement asked) throws SQLException {
        List<TaskReference> all = new ArrayList<>();
        try (ResultSet row = asked.query()) {
            while (row.next()) {
                all.add(new TaskReference(
                        row.getLong(1),
                        ColumnValues.taskId(row, 2),
                        row.getInt(3),
                        row.getString(4),
                        row.getBoolean(5)));
            }
        }
        return all;
    }

    private static void wakeSuccessors(Transaction tx, TaskId ended) throws SQLException {
        record Free(int lane, long dueAt) {}
        List<Free> free = new ArrayList<>();
        try (ResultSet row = tx.sql(WAKE_SUCCESSORS).with(ended).query()) {
            while (row.next()) {
                free.add(new Free(row.getInt(1), row.getLong(2)));
            }
        }
        for (Free task : free) {
            tx.claimable(tx.names().lane(task.lane()), task.dueAt());
        }
    }
}
