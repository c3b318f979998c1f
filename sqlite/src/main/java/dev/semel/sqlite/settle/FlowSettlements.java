package dev.semel.sqlite.settle;

import dev.semel.sqlite.submit.Submissions;
import dev.semel.sqlite.table.FlowRows;
import dev.semel.sqlite.table.KeyRecords;
import dev.semel.sqlite.table.TaskEnds;
import dev.semel.sqlite.table.TaskRow;
import dev.semel.sqlite.transaction.Transaction;
import dev.semel.store.CancelDecision;
import dev.semel.store.DuplicateCounts;
import dev.semel.store.HistoryLine;
import dev.semel.store.NewLine;
import dev.semel.store.NewTask;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.StoredFlow;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.ExistingTask;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Settlements of workflows. What each does is decided by {@link StoredFlow}. */
final class FlowSettlements {

    private static final String PROGRESS =
            "UPDATE semel_task SET failures = 0, vanished = 0 WHERE id = ? AND attempt = ? AND state = 'running'";

    private FlowSettlements() {}

    static Settled advance(Transaction tx, Settlement.Advance advance) throws SQLException {
        Settled standing = TaskRow.standing(tx.session(), advance.lease().attemptId());
        if (standing != Settled.APPLIED) {
            return standing;
        }
        TaskId workflow = advance.lease().taskId();
        switch (FlowRows.forLimits(tx, workflow, advance.lines().size()).decide(advance)) {
            case DONE_BEFORE -> {
                return Settled.APPLIED;
            }
            case STALE -> {
                return Settled.STALE;
            }
            case FULL -> {
                return Settled.FULL;
            }
            case ADD -> {}
        }
        tx.sql(PROGRESS).with(workflow).with(advance.lease().attempt()).updateOne();
        List<NewLine.Step> steps = new ArrayList<>();
        for (NewLine line : advance.lines()) {
            switch (line) {
                case NewLine.Step step -> steps.add(step);
                case NewLine.Note note -> {
                    start(tx, workflow, steps);
                    add(tx, workflow, note, null);
                }
                case NewLine.Answer answer -> {
                    start(tx, workflow, steps);
                    FlowRows.answer(tx, workflow, answer);
                    add(tx, workflow, answer, null);
                }
                case NewLine.Abandon abandon -> {
                    start(tx, workflow, steps);
                    abandon(tx, workflow, abandon);
                    add(tx, workflow, abandon, abandon.step());
                }
            }
        }
        start(tx, workflow, steps);
        return Settled.APPLIED;
    }

    private static void add(Transaction tx, TaskId workflow, NewLine line, @Nullable TaskId step) throws SQLException {
        StoredFlow flow = FlowRows.find(tx, workflow);
        HistoryLine added =
                new HistoryLine(flow.lines() + 1, line.kind(), line.name(), step, line.document(), tx.nowInstant());
        FlowRows.add(tx, workflow, added);
        FlowRows.save(tx, workflow, flow.plus(added));
    }

    /** Starts steps that follow one another, and empties their list. */
    private static void start(Transaction tx, TaskId workflow, List<NewLine.Step> steps) throws SQLException {
        if (steps.isEmpty()) {
            return;
        }
        List<NewTask> tasks = steps.stream().map(NewLine.Step::task).toList();
        List<Submitted> answers = new Submissions(tx).submit(tasks);
        for (int i = 0; i < steps.size(); i++) {
            add(tx, workflow, steps.get(i), watch(tx, workflow, tasks.get(i), answers.get(i)));
        }
        steps.clear();
    }

    /** Watches a step that was submitted, and returns the task that it is. */
    private static TaskId watch(Transaction tx, TaskId workflow, NewTask step, Submitted submitted)
            throws SQLException {
        return switch (submitted) {
            case Submitted.Created created -> {
                FlowRows.watch(tx, workflow, step.id(), true);
                yield step.id();
            }
            case Submitted.Returned(ExistingTask existing, boolean differs) -> {
                count(tx, step, existing);
                if (existing.state().isOpen()) {
                    FlowRows.watch(tx, workflow, existing.taskId(), false);
                } else {
                    String error = FlowRows.lastError(tx, existing.taskId());
                    FlowRows.append(tx, workflow, StoredFlow.ended(existing, error, tx.nowInstant()));
                }
                yield existing.taskId();
            }
            case Submitted.Rejected(ExistingTask existing, boolean differs) -> {
                FlowRows.append(tx, workflow, StoredFlow.rejected(step, existing, false, tx.nowInstant()));
                yield step.id();
            }
            case Submitted.Conflicted(ExistingTask existing) -> {
                FlowRows.append(tx, workflow, StoredFlow.rejected(step, existing, true, tx.nowInstant()));
                yield step.id();
            }
            case Submitted.Busy busy -> throw new IllegalStateException("One transaction at a time writes to the file");
            case Submitted.Cancellation cancellation ->
                throw new IllegalStateException("A step was answered with " + cancellation);
            case Submitted.Signalled signalled ->
                throw new IllegalStateException("A step was answered with " + signalled);
        };
    }

    private static void count(Transaction tx, NewTask step, ExistingTask existing) throws SQLException {
        NewTask.KeyRequest key = step.key();
        if (key != null) {
            int unused = KeyRecords.count(tx, List.of(new DuplicateCounts.Count(key.identity(), existing.taskId(), 1)));
        }
    }

    private static void abandon(Transaction tx, TaskId workflow, NewLine.Abandon abandon) throws SQLException {
        Map<TaskId, Boolean> watchers = FlowRows.watchers(tx, abandon.step());
        Boolean created = watchers.get(workflow);
        if (created == null) {
            return; // it has ended, and its entry is in the inbox
        }
        if (!created || watchers.size() > 1) {
            FlowRows.unwatch(tx, workflow, abandon.step());
            FlowRows.append(tx, workflow, StoredFlow.leftToOthers(abandon.name(), abandon.step(), tx.nowInstant()));
            return;
        }
        TaskRow step = TaskRow.find(tx, abandon.step());
        if (step == null) {
            throw new IllegalStateException("Expected watched step " + abandon.step() + " to be stored, but it is not");
        }
        if (FlowRows.requestCancellation(tx, abandon.step())) {
            return; // its code may clean up
        }
        switch (CancelDecision.of(step.state())) {
            case END -> TaskEnds.cancel(tx, step.seq(), abandon.step(), step.state());
            case ASK -> TaskEnds.askToCancel(tx, step.seq());
            case DONE_BEFORE, TOO_LATE -> {}
        }
    }

    /** Records that an attempt ends with a wait; returns whether the task has to wait. */
    static boolean await(Transaction tx, Settlement.Wait wait) throws SQLException {
        TaskId workflow = wait.lease().taskId();
        StoredFlow flow = FlowRows.find(tx, workflow);
        FlowRows.save(tx, workflow, flow.waiting(wait));
        return flow.mustWait(wait);
    }

    /** Returns whether an attempt of which nothing is kept ended with a wait. */
    static boolean waited(Transaction tx, Lease lease) throws SQLException {
        return lease.attempt() <= FlowRows.find(tx, lease.taskId()).waited();
    }
}
