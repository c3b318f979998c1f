package dev.semel.jdbc;

import dev.semel.jdbc.SqliteQueues.Layer;
import dev.semel.jdbc.SqliteRecords.Found;
import dev.semel.jdbc.SqliteRecords.Holder;
import dev.semel.jdbc.SqliteTasks.End;
import dev.semel.store.Applied;
import dev.semel.store.DeadLetter;
import dev.semel.store.QueueSetUp;
import dev.semel.store.QueueSettings;
import dev.semel.store.Series;
import dev.semel.store.Transition;
import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** Moving tasks. The two moves that every task makes, completion and extension, are one statement that is its own fence. */
final class SqliteMoves {

    // Nobody waits for a task that was not asked to cancel and has no mutex, so nothing else has to be done.
    private static final String COMPLETE = """
            UPDATE semel_task SET state = 'completed', order_at = NULL, due_at = NULL, finished_at = ?1,
              outcome = 'completed', result = ?2
            WHERE id = ?3 AND attempt = ?4 AND state = 'running' AND cancel_requested = 0 AND mutex IS NULL
            """;

    // Where some queue wants to know of ends.
    private static final String COMPLETE_AND_TELL = COMPLETE + " RETURNING seq, lane";

    private static final String EXTEND = """
            UPDATE semel_task SET order_at = ?1 - priority * 60000, due_at = ?1
            WHERE id = ?2 AND attempt = ?3 AND state = 'running'
            RETURNING cancel_requested, lane
            """;

    private static final String FIND = """
            SELECT seq, lane, state, attempt, cancel_requested, worker IS NOT NULL, outcome, scope, key, ttl, run,
              lineage, created_at, former_hash, mutex
            FROM semel_task WHERE id = ?
            """;

    private static final String OUTCOME = "SELECT outcome FROM semel_attempt WHERE task = ? AND number = ?";

    private static final String BACK_TO_PENDING = """
            UPDATE semel_task SET state = 'pending', order_at = ?2 - priority * 60000, due_at = ?2,
              failures = failures + ?3, last_error = coalesce(?4, last_error), claim = NULL, worker = NULL,
              started_at = NULL
            WHERE seq = ?1
            """;

    private static final String REDRIVE = """
            UPDATE semel_task SET state = 'pending', order_at = ?2 - priority * 60000, due_at = ?2, finished_at = NULL,
              failures = 0, vanished = 0, claim = NULL, worker = NULL, started_at = NULL, outcome = NULL,
              former_hash = NULL
            WHERE seq = ?1
            """;

    private final SqliteTransaction tx;
    private final SqliteSession session;

    SqliteMoves(SqliteTransaction tx, SqliteSession session) {
        this.tx = tx;
        this.session = session;
    }

    List<Applied> apply(List<Transition> batch) throws SQLException {
        List<Applied> answers = new ArrayList<>(batch.size());
        for (Transition move : batch) {
            answers.add(apply(move));
        }
        return answers;
    }

    private Applied apply(Transition move) throws SQLException {
        return switch (move) {
            case Transition.Complete complete -> complete(complete);
            case Transition.Retry retry -> end(retry);
            case Transition.Fail fail -> end(fail);
            case Transition.PutBack putBack -> end(putBack);
            case Transition.Cancelled cancelled -> end(cancelled);
            case Transition.Extend(Lease lease, Duration duration) -> extend(lease, duration);
            case Transition.Park park -> end(park);
            case Transition.Intend intend -> SqliteEffects.intend(tx, intend);
            case Transition.Conclude conclude -> SqliteEffects.conclude(tx, conclude);
            case Transition.Resolve resolve -> SqliteParking.resolve(tx, session, resolve);
            case Transition.Cancel(TaskId id) -> cancel(id);
            case Transition.Redrive(TaskId id, int attempt) -> redrive(id, attempt);
            case Transition.ReleaseKey(Identity identity, TaskId id) -> release(identity, id);
            case Transition.CountDuplicates count -> count(count);
            case Transition.DeclareQueue(String queue, QueueSettings settings) ->
                change(
                        queue,
                        Layer.DECLARED,
                        new QueueSetUp(settings, tx.queues().setUp(queue).set()));
            case Transition.SetQueue(String queue, QueueSettings changes) -> {
                QueueSetUp before = tx.queues().setUp(queue);
                yield change(queue, Layer.SET, new QueueSetUp(before.declared(), changes.or(before.set())));
            }
            case Transition.ResetQueue(String queue) ->
                change(queue, Layer.SET, new QueueSetUp(tx.queues().setUp(queue).declared(), QueueSettings.NONE));
        };
    }

    /** What a move needs to know of a task. */
    private record Row(
            long seq,
            int lane,
            TaskState state,
            int attempt,
            boolean cancelRequested,
            boolean attemptHere,
            @Nullable String outcome,
            int scope,
            @Nullable String key,
            long ttl,
            int run,
            @Nullable TaskId continued,
            long createdAt,
            @Nullable InputHash formerHash,
            @Nullable String mutex) {

        SqliteTasks.Running running(TaskId id) {
            return new SqliteTasks.Running(seq, id, lane, mutex);
        }
    }

    private @Nullable Row find(TaskId id) throws SQLException {
        try (ResultSet row = tx.sql(FIND).with(id).query()) {
            if (!row.next()) {
                return null;
            }
            byte[] lineage = row.getBytes(12);
            byte[] hash = row.getBytes(14);
            return new Row(
                    row.getLong(1),
                    row.getInt(2),
                    SqliteWords.state(row.getString(3)),
                    row.getInt(4),
                    row.getInt(5) != 0,
                    row.getInt(6) != 0,
                    row.getString(7),
                    row.getInt(8),
                    row.getString(9),
                    row.getLong(10),
                    row.getInt(11),
                    lineage == null ? null : SqliteValues.taskId(lineage),
                    row.getLong(13),
                    hash == null ? null : InputHash.ofBytes(hash),
                    row.getString(15));
        }
    }

    private Applied complete(Transition.Complete move) throws SQLException {
        Lease lease = move.lease();
        boolean tell = tx.queues().endsMatter();
        SqliteStatement complete = tx.sql(tell ? COMPLETE_AND_TELL : COMPLETE)
                .with(tx.now())
                .with(move.result())
                .with(lease.taskId())
                .with(lease.attempt());
        if (!(tell ? completeAndTell(complete) : complete.update() == 1)) {
            return end(move);
        }
        tx.news().ended(lease.taskId());
        return Applied.APPLIED;
    }

    private boolean completeAndTell(SqliteStatement complete) throws SQLException {
        long seq;
        int lane;
        try (ResultSet row = complete.query()) {
            if (!row.next()) {
                return false;
            }
            seq = row.getLong(1);
            lane = row.getInt(2);
        }
        SqliteTasks.afterEnd(tx, seq, tx.names().lane(lane).queue(), TaskState.COMPLETED);
        return true;
    }

    private Applied end(Transition.Ending move) throws SQLException {
        Lease lease = move.lease();
        Row task = find(lease.taskId());
        if (task == null) {
            return Applied.NOT_FOUND;
        }
        boolean newest = task.attemptHere() && task.attempt() == lease.attempt();
        if (newest && task.state() == TaskState.RUNNING) {
            perform(move, task, lease.taskId());
            return Applied.APPLIED;
        }
        // Ended before: by an earlier send of this very move, or otherwise, a vanished lease included.
        String outcome = newest ? task.outcome() : outcome(task.seq(), lease.attempt());
        return move.outcome().word().equals(outcome) ? Applied.APPLIED : Applied.STALE;
    }

    private @Nullable String outcome(long seq, int attempt) throws SQLException {
        try (ResultSet row = tx.sql(OUTCOME).with(seq).with(attempt).query()) {
            return row.next() ? row.getString(1) : null;
        }
    }

    private void perform(Transition.Ending move, Row task, TaskId id) throws SQLException {
        switch (move) {
            case Transition.Complete complete ->
                finish(task, id, new End(TaskState.COMPLETED, move.outcome(), false, false, null, complete.result()));
            case Transition.Fail fail -> {
                TaskState end = fail.timedOut() ? TaskState.TIMED_OUT : TaskState.FAILED;
                finish(task, id, new End(unlessAsked(task, end), move.outcome(), true, false, fail.error(), null));
                if (!task.cancelRequested()) {
                    SqliteTasks.tellDeadLetterQueue(tx, session, task.lane(), id);
                }
            }
            case Transition.Cancelled cancelled ->
                finish(task, id, new End(TaskState.CANCELLED, move.outcome(), false, false, null, null));
            case Transition.Park park -> park(task, id, park);
            case Transition.Retry retry -> backToPending(task, id, retry, retry.delay(), true, retry.error());
            case Transition.PutBack putBack -> backToPending(task, id, putBack, putBack.delay(), false, null);
        }
    }

    private void park(Row task, TaskId id, Transition.Park move) throws SQLException {
        boolean waits = SqliteEffects.park(tx, move);
        if (waits && !task.cancelRequested()) {
            SqliteParking.park(tx, task.running(id), move);
        } else {
            backToPending(task, id, move, Duration.ZERO, false, move.reason());
        }
    }

    private static TaskState unlessAsked(Row task, TaskState end) {
        return task.cancelRequested() ? TaskState.CANCELLED : end;
    }

    private void finish(Row task, TaskId id, End end) throws SQLException {
        SqliteTasks.finish(tx, task.running(id), end);
    }

    private void backToPending(
            Row task, TaskId id, Transition.Ending move, Duration delay, boolean failure, @Nullable String error)
            throws SQLException {
        if (task.cancelRequested()) {
            finish(task, id, new End(TaskState.CANCELLED, move.outcome(), failure, false, error, null));
            return;
        }
        SqliteTasks.archive(tx, task.seq(), move.outcome(), tx.now(), error);
        long dueAt = SqliteValues.after(tx.now(), delay);
        tx.sql(BACK_TO_PENDING)
                .with(task.seq())
                .with(dueAt)
                .with(failure ? 1 : 0)
                .with(error)
                .updateOne();
        tx.claimable(tx.names().lane(task.lane()), dueAt);
        SqliteTasks.freeMutex(tx, task.mutex());
    }

    private Applied extend(Lease lease, Duration duration) throws SQLException {
        long leaseEnd = SqliteValues.after(tx.now(), duration);
        tx.leased(leaseEnd);
        boolean asked;
        int lane;
        try (ResultSet row = tx.sql(EXTEND)
                .with(leaseEnd)
                .with(lease.taskId())
                .with(lease.attempt())
                .query()) {
            if (!row.next()) {
                return find(lease.taskId()) == null ? Applied.NOT_FOUND : Applied.STALE;
            }
            asked = row.getInt(1) != 0;
            lane = row.getInt(2);
        }
        // An extension may also bring the end nearer.
        tx.dueBy(tx.names().lane(lane), leaseEnd);
        return asked ? Applied.CANCEL_REQUESTED : Applied.APPLIED;
    }

    private Applied cancel(TaskId id) throws SQLException {
        Row task = find(id);
        if (task == null) {
            return Applied.NOT_FOUND;
        }
        return switch (task.state()) {
            case PENDING, WAITING -> {
                SqliteTasks.cancel(tx, task.seq(), id, task.state());
                yield Applied.APPLIED;
            }
            case RUNNING -> {
                SqliteTasks.askToCancel(tx, task.seq());
                yield Applied.CANCEL_REQUESTED;
            }
            case CANCELLED -> Applied.APPLIED;
            case COMPLETED, FAILED, TIMED_OUT -> Applied.STALE;
        };
    }

    private Applied redrive(TaskId id, int attempt) throws SQLException {
        Row task = find(id);
        if (task == null) {
            return Applied.NOT_FOUND;
        }
        if (!task.state().isDead() || task.attempt() != attempt) {
            return SqliteTasks.wasRedriven(tx, task.seq(), attempt) ? Applied.APPLIED : Applied.STALE;
        }
        if (task.key() != null && !takeKey(task, id, attempt, task.key())) {
            return Applied.SUPERSEDED;
        }
        SqliteTasks.archiveDeath(tx, task.seq(), task.attemptHere());
        tx.sql(REDRIVE).with(task.seq()).with(tx.now()).updateOne();
        tx.claimable(tx.names().lane(task.lane()), tx.now());
        return Applied.APPLIED;
    }

    /** Makes a task hold its key, if it does still or the key is free. */
    private boolean takeKey(Row task, TaskId id, int attempt, String key) throws SQLException {
        // A task that was replaced and still runs has lost the key, but the two must not run at the same time.
        if (SqliteRecords.openFormer(tx, task.scope(), key) != null) {
            return false;
        }
        Found found = SqliteRecords.find(session, task.scope(), key);
        if (found != null && found.taskId().equals(id)) {
            if (found.windowPassed(tx.now())) {
                SqliteRecords.renew(tx, task.scope(), key, id, tx.now() + task.ttl());
            }
            return true;
        }
        if (found != null && (found.state().isOpen() || !found.windowPassed(tx.now()))) {
            return false;
        }
        long expiresAt = task.createdAt() + task.ttl();
        Holder holder = new Holder(
                id,
                task.lane(),
                Objects.requireNonNull(task.formerHash(), "a task without its record keeps its hash"),
                task.run(),
                Series.begunByRedrive(id, attempt),
                task.continued(),
                task.createdAt(),
                expiresAt <= tx.now() ? tx.now() + task.ttl() : expiresAt);
        if (found != null) {
            SqliteRecords.takeOver(tx, task.scope(), key, found, holder);
            SqliteEffects.forgetUnlessContinued(tx, found.lineage(), task.scope(), key, null);
            return true;
        }
        return SqliteRecords.add(tx, task.scope(), key, holder);
    }

    private Applied release(Identity identity, TaskId id) throws SQLException {
        OptionalInt scope = tx.names().findScope(identity);
        Found found = scope.isEmpty() ? null : SqliteRecords.find(session, scope.getAsInt(), identity.key());
        if (found == null) {
            Row task = find(id);
            boolean its = task != null
                    && scope.isPresent()
                    && task.scope() == scope.getAsInt()
                    && identity.key().equals(task.key());
            return its ? Applied.APPLIED : Applied.NOT_FOUND;
        }
        if (!found.taskId().equals(id)) {
            return Applied.SUPERSEDED;
        }
        if (found.state().isOpen() || SqliteRecords.openFormer(tx, scope.getAsInt(), identity.key()) != null) {
            return Applied.HELD;
        }
        SqliteRecords.remove(tx, scope.getAsInt(), identity.key(), found);
        SqliteEffects.forgetUnlessContinued(tx, found.lineage(), scope.getAsInt(), identity.key(), null);
        return Applied.APPLIED;
    }

    private Applied count(Transition.CountDuplicates move) throws SQLException {
        OptionalInt scope = tx.names().findScope(move.identity());
        if (scope.isEmpty()) {
            return Applied.NOT_FOUND;
        }
        String key = move.identity().key();
        if (SqliteRecords.count(tx, scope.getAsInt(), key, move.taskId(), move.count())) {
            return Applied.APPLIED;
        }
        return SqliteRecords.find(session, scope.getAsInt(), key) == null ? Applied.NOT_FOUND : Applied.SUPERSEDED;
    }

    private Applied change(String queue, Layer layer, QueueSetUp next) throws SQLException {
        SqliteQueues queues = tx.queues();
        String deadLetters = next.effective().deadLettersTo();
        if (deadLetters != null
                && DeadLetter.isCircle(queue, deadLetters, at -> queues.of(at).deadLettersTo())) {
            return Applied.CIRCLE;
        }
        queues.save(queue, layer, layer == Layer.DECLARED ? next.declared() : next.set());
        SqliteAllowances.setBackMark(tx, queue);
        tx.news().due(queue);
        return Applied.APPLIED;
    }
}
