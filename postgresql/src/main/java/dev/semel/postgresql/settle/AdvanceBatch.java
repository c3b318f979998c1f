package dev.semel.postgresql.settle;

import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.postgresql.submit.LockedSubmit;
import dev.semel.postgresql.table.FlowChanges;
import dev.semel.postgresql.table.FlowRows;
import dev.semel.postgresql.table.WatchRows;
import dev.semel.postgresql.transaction.NumberedTask;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.HistoryLine;
import dev.semel.store.NewLine;
import dev.semel.store.NewTask;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.StoredFlow;
import dev.semel.store.Submitted;
import dev.semel.task.TaskId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Adds to the histories of several workflows in one transaction, where no step has a key and none is given up: then nothing is locked but
 * the workflows themselves, and each is answered for itself. A worker with many workflows sends many of these at once, and a transaction
 * for each was most of the cost of a step.
 */
final class AdvanceBatch {

    private static final String STANDING = """
            SELECT r.task, r.attempt, r.failures > 0 OR r.vanished > 0 AS counted, f.lines, f.inbox, f.urgent, f.wake_after, f.waited,
              f.bytes, f.generation
            FROM unnest(?) AS k (task)
            CROSS JOIN LATERAL (SELECT * FROM semel.running x WHERE x.task = k.task LIMIT 1) r
            LEFT JOIN LATERAL (SELECT * FROM semel.flow x WHERE x.task = k.task LIMIT 1) f ON true
            """;

    private static final String TASKS = "SELECT id FROM semel.task WHERE id = ANY (?)";

    private final Transaction tx;
    private final Map<TaskId, Settlement.Advance> advances = new LinkedHashMap<>();
    private final Map<TaskId, Settled> answers = new HashMap<>();

    /** Carries out advances of different workflows. */
    AdvanceBatch(Transaction tx, List<Settlement.Advance> advances) {
        this.tx = tx;
        advances.forEach(advance -> this.advances.put(advance.lease().taskId(), advance));
    }

    /** Returns whether an advance can be carried out together with others. */
    static boolean isPossible(Settlement settlement) {
        return settlement instanceof Settlement.Advance advance
                && advance.lines().stream()
                        .noneMatch(line -> line instanceof NewLine.Abandon
                                || line instanceof NewLine.Answer
                                || line.identity() != null);
    }

    /** Carries out the advances, and returns their answers. The rows of running attempts are locked. */
    Map<TaskId, Settled> run(NewSteps steps) throws SQLException {
        List<Settlement.Advance> added = new ArrayList<>();
        List<Settlement.Advance> counted = new ArrayList<>();
        for (Standing standing : tx.sql(STANDING).ids(advances.keySet()).list(Standing::of)) {
            decide(standing, added, counted);
        }
        List<NumberedTask> started = new ArrayList<>();
        Map<TaskId, TaskId> workflows = new HashMap<>();
        for (Settlement.Advance advance : added) {
            for (NewTask step : NewSteps.tasks(advance)) {
                started.add(steps.of(step));
                workflows.put(step.id(), advance.lease().taskId());
            }
            FlowChanges.of(tx).add(advance.lease().taskId(), lines(advance));
        }
        if (!started.isEmpty()) {
            LockedSubmit submit = new LockedSubmit(tx, steps.notes());
            List<Submitted> created = submit.submitWatched(started);
            if (created.size() != workflows.size()) {
                throw new IllegalStateException("Expected each step to be a task of its own, but two have one id");
            }
            WatchRows.watchNew(tx, workflows, submit.hasInserted(workflows.keySet()));
        }
        for (Settlement.Advance advance : counted) {
            boolean unused = FlowRows.progress(tx, advance.lease());
        }
        notRunning();
        return answers;
    }

    /** Answers advances of tasks that do not run. */
    private void notRunning() throws SQLException {
        if (answers.size() < advances.size()) {
            Set<TaskId> open = new HashSet<>(advances.keySet());
            open.removeAll(answers.keySet());
            open.forEach(id -> answers.put(id, Settled.NOT_FOUND));
            tx.sql(TASKS).ids(open).results(row -> answers.put(SqlStatement.id(row, "id"), Settled.STALE));
        }
    }

    /**
     * How the running attempt of a workflow stands.
     *
     * @param counted whether failures or vanished attempts are counted
     */
    private record Standing(TaskId workflow, int attempt, boolean counted, StoredFlow flow) {

        static Standing of(ResultSet row) throws SQLException {
            return new Standing(
                    SqlStatement.id(row, "task"), row.getInt("attempt"), row.getBoolean("counted"), FlowRows.flow(row));
        }
    }

    private void decide(Standing standing, List<Settlement.Advance> added, List<Settlement.Advance> counted)
            throws SQLException {
        TaskId id = standing.workflow();
        Settlement.Advance advance = advances.get(id);
        if (advance == null) {
            throw new IllegalStateException("Workflow " + id + " was read, but not asked for");
        }
        if (standing.attempt() != advance.lease().attempt()) {
            answers.put(id, Settled.STALE);
            return;
        }
        StoredFlow flow =
                FlowRows.forLimits(tx, id, standing.flow(), advance.lines().size());
        answers.put(
                id,
                switch (flow.decide(advance)) {
                    case DONE_BEFORE, ADD -> Settled.APPLIED;
                    case STALE -> Settled.STALE;
                    case FULL -> Settled.FULL;
                });
        if (flow.decide(advance) == StoredFlow.Verdict.ADD) {
            added.add(advance);
            if (standing.counted()) {
                counted.add(advance);
            }
        }
    }

    private List<HistoryLine> lines(Settlement.Advance advance) {
        List<HistoryLine> lines = new ArrayList<>();
        for (NewLine line : advance.lines()) {
            lines.add(new HistoryLine(
                    advance.first() + lines.size(),
                    line.kind(),
                    line.name(),
                    line instanceof NewLine.Step(NewTask task) ? task.id() : null,
                    line.document(),
                    tx.nowInstant()));
        }
        return lines;
    }
}
