package dev.semel.postgresql.settle;

import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.postgresql.submit.DeadLetters;
import dev.semel.postgresql.table.EffectLedger;
import dev.semel.postgresql.table.FlowChanges;
import dev.semel.postgresql.table.FlowRows;
import dev.semel.postgresql.table.TaskEnds;
import dev.semel.postgresql.table.TaskEnds.Ended;
import dev.semel.postgresql.table.TaskReader;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.Attempt.Outcome;
import dev.semel.store.AttemptEnd;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Settles running tasks that have a row of their own, many with one statement. An end deletes the row, which is its fence: the
 * row has the number of the attempt, and only one transaction can delete it. A settlement that finds no row is compared with
 * the stored history.
 */
final class RunningTaskSettler {

    // Only the row of the running task shows whether it was asked to cancel, so each settlement brings the state for
    // both cases, as AttemptEnd decides it; NULL is a task that stays open. One that was asked because its time limit
    // has
    // passed is timed out where it would be cancelled (AttemptEnd.ifOverdue).
    private static final String END = """
            WITH gone AS (
              DELETE FROM semel.running r USING unnest(?, ?, ?, ?, ?, ?, ?, ?, ?)
                AS m (task, attempt, outcome, due_at, error, result, failures, state, asked_state)
              WHERE r.task = ANY (ARRAY[m.task]) AND r.attempt = m.attempt
              RETURNING r.task, r.seq, r.order_at, r.started_at, r.lane, r.attempt, r.vanished, r.priority, r.asked,
                r.worker, r.mutex, r.watched, r.failures + m.failures AS failed, m.outcome, m.due_at, m.result,
                CASE WHEN NOT r.asked THEN m.state WHEN r.overdue IS NOT NULL AND m.asked_state = 'cancelled' THEN 'timed_out'
                  ELSE m.asked_state END AS state,
                CASE WHEN r.overdue IS NOT NULL AND m.asked_state = 'cancelled' THEN concat_ws(' ', r.overdue, m.error)
                  ELSE m.error END AS error
            ), ended AS (
              INSERT INTO semel.done (task, finished_at, started_at, lane, attempt, failures, vanished, asked, bare, state,
                outcome, worker, error, result)
              SELECT task, ?, started_at, lane, attempt, failed, vanished, asked, false, state, outcome, worker, error, result
              FROM gone WHERE state IS NOT NULL
            ), kept AS (
              INSERT INTO semel.attempt (task, number, started_at, ended_at, outcome, worker, error)
              SELECT task, attempt, started_at, ?, outcome, worker, error FROM gone
              WHERE state IS NULL AND (outcome <> 'waited' OR error IS NOT NULL)
            ), back AS (
              INSERT INTO semel.ready (task, seq, order_at, lane, attempt, failures, vanished, priority, suspect, mutex, watched,
                woken)
              SELECT task, seq, due_at - priority * 60000::bigint, lane, attempt, failed, vanished, priority, vanished > 0,
                mutex, watched, CASE WHEN outcome = 'waited' THEN lane END
              FROM gone WHERE state IS NULL AND due_at IS NOT NULL
            ), parked AS (
              INSERT INTO semel.waiting (task, seq, order_at, lane, attempt, failures, vanished, priority, after, watched)
              SELECT task, seq, order_at, lane, attempt, failed, vanished, priority,
                CASE WHEN outcome = 'waited' THEN task END, watched
              FROM gone WHERE state IS NULL AND due_at IS NULL
            )
            SELECT task, lane, state, asked, mutex, watched FROM gone
            """;

    private static final String EXTEND = """
            UPDATE semel.running r SET order_at = m.lease_end - r.priority * 60000::bigint
            FROM unnest(?, ?, ?) AS m (task, attempt, lease_end)
            WHERE r.task = ANY (ARRAY[m.task]) AND r.attempt = m.attempt
            RETURNING r.task, r.asked
            """;

    // The outcomes of attempts that have ended.
    private static final String OUTCOMES = """
            SELECT m.task, CASE WHEN d.attempt = m.attempt AND d.worker IS NOT NULL THEN coalesce(d.outcome, d.state)
              ELSE a.outcome END AS outcome
            FROM unnest(?, ?) AS m (task, attempt)
            CROSS JOIN LATERAL (SELECT x.id FROM semel.task x WHERE x.id = m.task LIMIT 1) t
            LEFT JOIN LATERAL (
              SELECT x.attempt, x.worker, x.outcome, x.state FROM semel.done x WHERE x.task = m.task LIMIT 1) d ON true
            LEFT JOIN LATERAL (
              SELECT x.outcome FROM semel.attempt x WHERE x.task = m.task AND x.number = m.attempt LIMIT 1) a ON true
            """;

    private final Transaction tx;

    /** Settles in one transaction. */
    RunningTaskSettler(Transaction tx) {
        this.tx = tx;
    }

    /** Applies settlements of different tasks, and returns their answers. */
    Map<TaskId, Settled> apply(List<Settlement> settlements) throws SQLException {
        List<Settlement.Extend> extensions = new ArrayList<>();
        List<Settlement.Ending> ends = new ArrayList<>();
        for (Settlement settlement : settlements) {
            switch (settlement) {
                case Settlement.Extend extend -> extensions.add(extend);
                case Settlement.Ending ending -> ends.add(ending);
                case Settlement.Intend intend -> throw new IllegalStateException("An intent ends nothing");
                case Settlement.Refer refer -> throw new IllegalStateException("A referral ends nothing");
                case Settlement.Conclude conclude -> throw new IllegalStateException("An outcome ends nothing");
                case Settlement.Advance advance -> throw new IllegalStateException("An advance ends nothing");
            }
        }
        Map<TaskId, Settled> answers = new HashMap<>();
        extend(sorted(extensions), answers);
        end(ends, answers);
        compare(
                settlements.stream()
                        .filter(settlement ->
                                !answers.containsKey(settlement.lease().taskId()))
                        .toList(),
                answers);
        return answers;
    }

    /** Returns settlements in the order in which their rows are locked. */
    private static <T extends Settlement> List<T> sorted(List<T> settlements) {
        return settlements.stream()
                .sorted(Comparator.comparing(settlement -> settlement.lease().taskId()))
                .toList();
    }

    private void extend(List<Settlement.Extend> settlements, Map<TaskId, Settled> answers) throws SQLException {
        if (settlements.isEmpty()) {
            return;
        }
        List<Long> ends = new ArrayList<>();
        settlements.forEach(settlement -> ends.add(tx.after(settlement.duration())));
        tx.sql(EXTEND)
                .ids(ids(settlements))
                .ints(attempts(settlements))
                .longs(ends)
                .list(row -> {
                    TaskId id = SqlStatement.id(row, "task");
                    tx.lockedRunning(id);
                    return answers.put(id, row.getBoolean("asked") ? Settled.CANCEL_REQUESTED : Settled.APPLIED);
                });
    }

    private void end(List<Settlement.Ending> inOrder, Map<TaskId, Settled> answers) throws SQLException {
        if (inOrder.isEmpty()) {
            return;
        }
        List<Settlement.Ending> settlements = sorted(inOrder);
        Set<TaskId> parked = new EffectLedger(tx)
                .park(settlements.stream()
                        .filter(Settlement.Park.class::isInstance)
                        .map(Settlement.Park.class::cast)
                        .toList());
        Columns columns = new Columns();
        for (Settlement.Ending settlement : settlements) {
            TaskId id = settlement.lease().taskId();
            boolean unresolved = parked.contains(id) || settlement instanceof Settlement.Wait;
            columns.add(
                    AttemptEnd.of(settlement, false, unresolved, tx.nowInstant()),
                    AttemptEnd.of(settlement, true, unresolved, tx.nowInstant()));
        }
        Map<TaskId, Ended> ended = new HashMap<>();
        tx.sql(END)
                .ids(ids(settlements))
                .ints(attempts(settlements))
                .texts(columns.outcomes)
                .longs(columns.dueAt)
                .texts(columns.errors)
                .texts(columns.results)
                .ints(columns.failures)
                .texts(columns.states)
                .texts(columns.statesIfAsked)
                .with(tx.now())
                .with(tx.now())
                .list(row -> {
                    Ended end = ended(row);
                    tx.lockedRunning(end.id());
                    return ended.put(end.id(), end);
                });
        ended.keySet().forEach(id -> answers.put(id, Settled.APPLIED));
        List<Ended> follow = new ArrayList<>();
        for (Settlement.Ending settlement : inOrder) {
            Ended end = ended.get(settlement.lease().taskId());
            if (end != null) {
                follow.add(end);
                if (end.state() == null && settlement instanceof Settlement.Wait wait) {
                    FlowChanges.of(tx).await(wait);
                }
                if (end.state() == null && settlement instanceof Settlement.Continue next) {
                    FlowChanges.of(tx).continueAsNew(next);
                }
            }
        }
        TaskEnds.follow(tx, follow);
        DeadLetters.submit(tx, follow);
    }

    private static Ended ended(ResultSet row) throws SQLException {
        String state = row.getString("state");
        return new Ended(
                SqlStatement.id(row, "task"),
                row.getInt("lane"),
                state == null ? null : TaskState.parse(state),
                row.getBoolean("asked"),
                row.getString("mutex"),
                row.getBoolean("watched"));
    }

    /** The ends of attempts, as {@link AttemptEnd} decides them, as columns. */
    private static final class Columns {

        final List<String> outcomes = new ArrayList<>();
        final List<@Nullable Long> dueAt = new ArrayList<>();
        final List<@Nullable String> errors = new ArrayList<>();
        final List<@Nullable String> results = new ArrayList<>();
        final List<Integer> failures = new ArrayList<>();
        final List<@Nullable String> states = new ArrayList<>();
        final List<@Nullable String> statesIfAsked = new ArrayList<>();

        void add(AttemptEnd end, AttemptEnd ifAsked) {
            outcomes.add(end.outcome().word());
            dueAt.add(
                    end.next() instanceof AttemptEnd.Pending pending
                            ? (Long) pending.dueAt().toEpochMilli()
                            : null);
            errors.add(TaskReader.storable(end.error()));
            results.add(end.next() instanceof AttemptEnd.Ended ended ? ended.result() : null);
            failures.add(end.failures());
            states.add(state(end));
            statesIfAsked.add(state(ifAsked));
        }

        private static @Nullable String state(AttemptEnd end) {
            return end.next() instanceof AttemptEnd.Ended ended ? ended.state().word() : null;
        }
    }

    /** Answers settlements that found no running attempt: they were sent before, are too late, or their task does not exist. */
    private void compare(List<Settlement> open, Map<TaskId, Settled> answers) throws SQLException {
        if (open.isEmpty()) {
            return;
        }
        Map<TaskId, List<Outcome>> kept = new HashMap<>();
        tx.sql(OUTCOMES).ids(ids(open)).ints(attempts(open)).list(row -> {
            String outcome = row.getString("outcome");
            return kept.put(
                    SqlStatement.id(row, "task"), outcome == null ? List.of() : List.of(TaskReader.outcome(outcome)));
        });
        for (Settlement settlement : open) {
            TaskId id = settlement.lease().taskId();
            List<Outcome> outcome = kept.get(id);
            boolean same = outcome != null
                    && settlement instanceof Settlement.Ending ending
                    && outcome.contains(ending.outcome());
            if (settlement instanceof Settlement.Ending ending
                    && ending.outcome() == Outcome.WAITED
                    && outcome != null
                    && outcome.isEmpty()) {
                same = FlowRows.waited(tx, ending.lease());
            }
            answers.put(id, outcome == null ? Settled.NOT_FOUND : same ? Settled.APPLIED : Settled.STALE);
        }
    }

    private static List<TaskId> ids(List<? extends Settlement> settlements) {
        return settlements.stream()
                .map(settlement -> settlement.lease().taskId())
                .toList();
    }

    private static List<Integer> attempts(List<? extends Settlement> settlements) {
        return settlements.stream()
                .map(settlement -> settlement.lease().attempt())
                .toList();
    }
}
