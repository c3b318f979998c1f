package dev.semel.sqlite.settle;

import dev.semel.sqlite.sql.ColumnValues;
import dev.semel.sqlite.sql.SqlStatement;
import dev.semel.sqlite.submit.DeadLetters;
import dev.semel.sqlite.table.FlowRows;
import dev.semel.sqlite.table.TaskEnds;
import dev.semel.sqlite.table.TaskReference;
import dev.semel.sqlite.table.TaskRow;
import dev.semel.sqlite.table.TimeLimitRows;
import dev.semel.sqlite.transaction.Transaction;
import dev.semel.store.Attempt;
import dev.semel.store.AttemptEnd;
import dev.semel.store.RejectedAdvances;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Settles attempts. The two frequent settlements, completion and extension, are one statement that is its own fence. */
public final class Settlements {

    // No other task waits for one that was not asked to cancel, has no mutex and is not watched, so nothing else has to
    // be done.
    private static final String COMPLETE = """
            UPDATE semel_task SET state = 'completed', order_at = NULL, due_at = NULL, finished_at = ?1,
              outcome = 'completed', result = ?2
            WHERE id = ?3 AND attempt = ?4 AND state = 'running' AND cancel_requested = 0 AND mutex IS NULL
              AND NOT EXISTS (SELECT 1 FROM semel_watch WHERE step = ?3)
            """;

    // The same where nothing is watched.
    private static final String COMPLETE_UNWATCHED = """
            UPDATE semel_task SET state = 'completed', order_at = NULL, due_at = NULL, finished_at = ?1,
              outcome = 'completed', result = ?2
            WHERE id = ?3 AND attempt = ?4 AND state = 'running' AND cancel_requested = 0 AND mutex IS NULL
            """;

    // The same where some queue has settings that apply to ends.
    private static final String COMPLETE_RETURNING = """
            UPDATE semel_task SET state = 'completed', order_at = NULL, due_at = NULL, finished_at = ?1,
              outcome = 'completed', result = ?2
            WHERE id = ?3 AND attempt = ?4 AND state = 'running' AND cancel_requested = 0 AND mutex IS NULL
              AND NOT EXISTS (SELECT 1 FROM semel_watch WHERE step = ?3)
            RETURNING seq, lane
            """;

    private static final String EXTEND = """
            UPDATE semel_task SET order_at = ?1 - priority * 60000, due_at = ?1
            WHERE id = ?2 AND attempt = ?3 AND state = 'running'
            RETURNING cancel_requested, lane
            """;

    private static final String OUTCOME = "SELECT outcome FROM semel_attempt WHERE task = ? AND number = ?";

    private final Transaction tx;

    public Settlements(Transaction tx) {
        this.tx = tx;
    }

    public List<Settled> settle(List<Settlement> batch) throws SQLException {
        List<Settled> answers = new ArrayList<>(batch.size());
        RejectedAdvances rejected = new RejectedAdvances();
        for (Settlement settlement : batch) {
            Optional<Settled> known = rejected.answer(settlement);
            Settled answer = known.isPresent() ? known.get() : settle(settlement);
            rejected.note(settlement, answer);
            answers.add(answer);
        }
        return answers;
    }

    private Settled settle(Settlement settlement) throws SQLException {
        return switch (settlement) {
            case Settlement.Complete complete -> complete(complete);
            case Settlement.Retry retry -> end(retry);
            case Settlement.Fail fail -> end(fail);
            case Settlement.PutBack putBack -> end(putBack);
            case Settlement.Cancelled cancelled -> end(cancelled);
            case Settlement.Park park -> end(park);
            case Settlement.Wait wait -> end(wait);
            case Settlement.Continue next -> end(next);
            case Settlement.Advance advance -> FlowSettlements.advance(tx, advance);
            case Settlement.Extend(Lease lease, Duration duration) -> extend(lease, duration);
            case Settlement.Intend intend -> EffectSettlements.intend(tx, intend);
            case Settlement.Refer refer -> EffectSettlements.refer(tx, refer);
            case Settlement.Conclude conclude -> EffectSettlements.conclude(tx, conclude);
        };
    }

    private Settled complete(Settlement.Complete settlement) throws SQLException {
        boolean applied = tx.queues().endsMatter() ? completeAndApplySettings(settlement) : completeAlone(settlement);
        if (!applied) {
            return end(settlement);
        }
        tx.news().ended(settlement.lease().taskId());
        return Settled.APPLIED;
    }

    private boolean completeAlone(Settlement.Complete settlement) throws SQLException {
        return bind(tx.hasWatches() ? COMPLETE : COMPLETE_UNWATCHED, settlement).update() == 1;
    }

    private boolean completeAndApplySettings(Settlement.Complete settlement) throws SQLException {
        long seq;
        int lane;
        try (ResultSet row = bind(COMPLETE_RETURNING, settlement).query()) {
            if (!row.next()) {
                return false;
            }
            seq = row.getLong(1);
            lane = row.getInt(2);
        }
        TaskEnds.afterEnd(
                tx,
                new TaskReference(seq, settlement.lease().taskId(), lane, null, false),
                TaskEnds.consequences(tx, lane, TaskState.RUNNING, TaskState.COMPLETED));
        return true;
    }

    private SqlStatement bind(String complete, Settlement.Complete settlement) throws SQLException {
        return tx.sql(complete)
                .with(tx.now())
                .with(settlement.result())
                .with(settlement.lease().taskId())
                .with(settlement.lease().attempt());
    }

    private Settled end(Settlement.Ending settlement) throws SQLException {
        Lease lease = settlement.lease();
        TaskRow task = TaskRow.find(tx, lease.taskId());
        if (task == null) {
            return Settled.NOT_FOUND;
        }
        boolean newest = task.attemptHere() && task.attempt() == lease.attempt();
        if (newest && task.state() == TaskState.RUNNING) {
            perform(settlement, task, lease.taskId());
            return Settled.APPLIED;
        }
        // Ended before: by an earlier send of this very settlement, or otherwise, a vanished lease included.
        String outcome = newest ? task.outcome() : outcome(task.seq(), lease.attempt());
        if (outcome == null && settlement.outcome() == Attempt.Outcome.WAITED) {
            return FlowSettlements.waited(tx, lease) ? Settled.APPLIED : Settled.STALE;
        }
        return settlement.outcome().word().equals(outcome) ? Settled.APPLIED : Settled.STALE;
    }

    private @Nullable String outcome(long seq, int attempt) throws SQLException {
        try (ResultSet row = tx.sql(OUTCOME).with(seq).with(attempt).query()) {
            return row.next() ? row.getString(1) : null;
        }
    }

    private void perform(Settlement.Ending settlement, TaskRow task, TaskId id) throws SQLException {
        boolean unresolved = (settlement instanceof Settlement.Park park && EffectSettlements.park(tx, park))
                || (settlement instanceof Settlement.Wait wait && FlowSettlements.await(tx, wait));
        if (settlement instanceof Settlement.Continue next && !task.cancelRequested()) {
            FlowRows.continueAsNew(tx, next);
        }
        String overdue = task.cancelRequested() ? TimeLimitRows.takeError(tx, id) : null;
        AttemptEnd end = AttemptEnd.of(settlement, task.cancelRequested(), unresolved, tx.nowInstant())
                .ifOverdue(overdue);
        DeadLetters.submit(tx, TaskEnds.end(tx, task.changed(id), end), id);
    }

    private Settled extend(Lease lease, Duration duration) throws SQLException {
        long leaseEnd = ColumnValues.after(tx.now(), duration);
        tx.leased(leaseEnd);
        boolean asked;
        int lane;
        try (ResultSet row = tx.sql(EXTEND)
                .with(leaseEnd)
                .with(lease.taskId())
                .with(lease.attempt())
                .query()) {
            if (!row.next()) {
                return TaskRow.find(tx, lease.taskId()) == null ? Settled.NOT_FOUND : Settled.STALE;
            }
            asked = row.getInt(1) != 0;
            lane = row.getInt(2);
        }
        // An extension may also shorten a lease.
        tx.dueBy(tx.names().lane(lane), leaseEnd);
        return asked ? Settled.CANCEL_REQUESTED : Settled.APPLIED;
    }
}
