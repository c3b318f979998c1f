package dev.semel.postgresql.settle;

import dev.semel.postgresql.sql.ErrorTranslator;
import dev.semel.postgresql.sql.Race;
import dev.semel.postgresql.submit.LockedSubmit;
import dev.semel.postgresql.submit.RetryNotes;
import dev.semel.postgresql.table.FlowChanges;
import dev.semel.postgresql.table.FlowRows;
import dev.semel.postgresql.table.InboxRows;
import dev.semel.postgresql.table.TaskEnds;
import dev.semel.postgresql.table.WatchRows;
import dev.semel.postgresql.transaction.Database;
import dev.semel.postgresql.transaction.NumberedTask;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.HistoryLine;
import dev.semel.store.InboxEntry;
import dev.semel.store.NewLine;
import dev.semel.store.NewTask;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.StoredFlow;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.ExistingTask;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Adds to the history of a workflow and starts its steps, in one transaction.
 *
 * <p>The keys of the steps come first, because a submission may have to wait for a key that a caller's open transaction holds, and must not
 * hold the row of the running workflow meanwhile: heartbeats need it. Then the row of the running attempt is locked, together with the tasks
 * that are replaced, watched or given up; if the attempt is not the newest, everything is rolled back. The counters are locked and written at
 * the end of the transaction ({@link FlowChanges}). While the running attempt is locked, nobody else adds lines.
 */
public final class WorkflowAdvancer {

    private static final String STANDING = """
            SELECT (SELECT r.attempt FROM semel.running r WHERE r.task = t.id LIMIT 1) AS attempt FROM semel.task t
            WHERE t.id = ?
            """;

    private final Database database;
    private final BiConsumer<List<NewTask>, List<Submitted>> duplicates;

    /** Rolls the transaction back. */
    private static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final Settled answer;

        Refused(Settled answer) {
            super(null, null, false, false);
            this.answer = answer;
        }
    }

    /**
     * Creates an advancer.
     *
     * @param duplicates counts the steps that were answered with an existing task
     */
    public WorkflowAdvancer(Database database, BiConsumer<List<NewTask>, List<Submitted>> duplicates) {
        this.database = database;
        this.duplicates = duplicates;
    }

    /** Carries out an advance. */
    public Settled advance(Settlement.Advance advance) throws SQLException {
        List<NewTask> steps = NewSteps.tasks(advance);
        List<NumberedTask> numbered = database.numbered(steps);
        RetryNotes notes = RetryNotes.expectingRepeats();
        try {
            List<Submitted> answers = database.writeOrThrow(tx -> new Attempt(tx, advance, numbered, notes).run());
            duplicates.accept(answers.isEmpty() ? List.of() : steps, answers);
            return Settled.APPLIED;
        } catch (Refused e) {
            return e.answer;
        } catch (SQLException e) {
            if (ErrorTranslator.isLockTimeout(e) && steps.stream().anyMatch(step -> step.key() != null)) {
                return Settled.BUSY;
            }
            throw e;
        }
    }

    /** One transaction that tries to carry out an advance. */
    private static final class Attempt {

        private final Transaction tx;
        private final Settlement.Advance advance;
        private final TaskId workflow;
        private final List<NumberedTask> steps;
        private final RetryNotes notes;
        private final Map<TaskId, Boolean> watched = new LinkedHashMap<>();

        Attempt(Transaction tx, Settlement.Advance advance, List<NumberedTask> steps, RetryNotes notes) {
            this.tx = tx;
            this.advance = advance;
            this.workflow = advance.lease().taskId();
            this.steps = steps;
            this.notes = notes;
        }

        /** Returns the answers to the steps; none if the advance was carried out before. */
        List<Submitted> run() throws SQLException {
            boolean add = counters().decide(advance) == StoredFlow.Verdict.ADD;
            LockedSubmit submit = new LockedSubmit(tx, notes);
            List<Submitted> answers = submit.submitSteps(add ? steps : List.of(), wanted());
            requireRunning();
            requireNew(counters(), add);
            if (!FlowRows.progress(tx, advance.lease())) {
                throw new IllegalStateException("Expected locked workflow " + workflow + " to run, but it does not");
            }
            apply(answers, submit.lockedTasks());
            return answers;
        }

        private StoredFlow counters() throws SQLException {
            return FlowRows.forLimits(
                    tx, workflow, FlowRows.find(tx, workflow), advance.lines().size());
        }

        /** The tasks to lock beside those that have the keys of the steps. */
        private Set<TaskId> wanted() {
            Set<TaskId> wanted = new HashSet<>(Set.of(workflow));
            for (NewLine line : advance.lines()) {
                if (line instanceof NewLine.Abandon abandon) {
                    wanted.add(abandon.step());
                }
            }
            return wanted;
        }

        private void requireRunning() throws SQLException {
            Lease lease = advance.lease();
            Integer attempt = tx.sql(STANDING).with(workflow).first(row -> row.getInt("attempt"));
            if (attempt == null) {
                throw new Refused(Settled.NOT_FOUND);
            }
            if (attempt != lease.attempt()) {
                throw new Refused(Settled.STALE);
            }
        }

        private void requireNew(StoredFlow flow, boolean submitted) throws SQLException {
            switch (flow.decide(advance)) {
                case DONE_BEFORE -> throw new Refused(Settled.APPLIED);
                case STALE -> throw new Refused(Settled.STALE);
                case FULL -> throw new Refused(Settled.FULL);
                case ADD -> {
                    if (!submitted) {
                        throw new Race("the history of a workflow changed while it was to be locked");
                    }
                }
            }
        }

        private void apply(List<Submitted> answers, Set<TaskId> open) throws SQLException {
            List<HistoryLine> lines = new ArrayList<>();
            int next = 0;
            for (NewLine line : advance.lines()) {
                @Nullable TaskId step = null;
                switch (line) {
                    case NewLine.Note note -> {}
                    case NewLine.Answer answer -> {
                        if (!InboxRows.hasKey(tx, workflow, answer.entryKey())) {
                            append(answer.entry(workflow, tx.nowInstant()));
                        }
                    }
                    case NewLine.Step(NewTask task) -> step = started(task, answers.get(next++), open);
                    case NewLine.Abandon abandon -> {
                        flush();
                        abandon(abandon, open);
                        step = abandon.step();
                    }
                }
                lines.add(new HistoryLine(
                        advance.first() + lines.size(),
                        line.kind(),
                        line.name(),
                        step,
                        line.document(),
                        tx.nowInstant()));
            }
            flush();
            FlowChanges.of(tx).add(workflow, lines);
        }

        /** Writes the watches so far, because a step that is given up may be one of them. */
        private void flush() throws SQLException {
            WatchRows.watch(tx, workflow, watched);
            watched.clear();
        }

        private void append(InboxEntry entry) {
            FlowChanges.of(tx).append(workflow, entry);
        }

        /** Notes the watch or the entry of a step that was submitted, and returns the task that it is. */
        private TaskId started(NewTask step, Submitted submitted, Set<TaskId> open) throws SQLException {
            return switch (submitted) {
                case Submitted.Created created -> {
                    watched.put(step.id(), true);
                    yield step.id();
                }
                case Submitted.Returned(ExistingTask existing, boolean differs) -> {
                    if (!existing.state().isOpen()) {
                        String error = WatchRows.lastError(tx, existing.taskId());
                        append(StoredFlow.ended(existing, error, tx.nowInstant()));
                    } else if (open.contains(existing.taskId()) || watched.containsKey(existing.taskId())) {
                        watched.putIfAbsent(existing.taskId(), false);
                    } else {
                        throw new Race("a step ended or moved on while it was to be watched");
                    }
                    yield existing.taskId();
                }
                case Submitted.Rejected(ExistingTask existing, boolean differs) -> {
                    append(StoredFlow.rejected(step, existing, false, tx.nowInstant()));
                    yield step.id();
                }
                case Submitted.Conflicted(ExistingTask existing) -> {
                    append(StoredFlow.rejected(step, existing, true, tx.nowInstant()));
                    yield step.id();
                }
                case Submitted.Busy busy -> throw new Refused(Settled.BUSY);
                case Submitted.Cancellation cancellation ->
                    throw new IllegalStateException("A step was answered with " + cancellation);
                case Submitted.Signalled signalled ->
                    throw new IllegalStateException("A step was answered with " + signalled);
            };
        }

        private void abandon(NewLine.Abandon abandon, Set<TaskId> open) throws SQLException {
            TaskId step = abandon.step();
            Map<TaskId, Boolean> watchers = WatchRows.watchers(tx, step);
            Boolean created = watchers.get(workflow);
            if (created == null) {
                return; // it has ended, and its entry is in the inbox
            }
            if (!open.contains(step)) {
                throw new Race("a step ended or moved on while it was to be given up");
            }
            if (!created || watchers.size() > 1) {
                WatchRows.unwatch(tx, workflow, step);
                append(StoredFlow.leftToOthers(abandon.name(), step, tx.nowInstant()));
            } else if (!FlowChanges.requestCancellation(tx, step, TaskState.PENDING) // its code may clean up
                    && !TaskEnds.ask(tx, step)
                    && !TaskEnds.cancel(tx, step, TaskState.PENDING)
                    && !TaskEnds.cancel(tx, step, TaskState.WAITING)) {
                throw new IllegalStateException("Expected locked step " + step + " to be open, but it is not");
            }
        }
    }
}
