package dev.semel.storetests.storm;

import dev.semel.store.Attempt.Outcome;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
import dev.semel.store.StoredFlow;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.ExistingTask;
import dev.semel.store.Task;
import dev.semel.storetests.storm.ModelState.HeldKey;
import dev.semel.task.AttemptId;
import dev.semel.task.Decision;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The laws of one identity as a state machine: which states an operation with its answer can lead to. Several, where the
 * history does not contain what the clock showed, which task a lost claim took, or whether a sweep was before it; none, if no
 * law explains the answer.
 */
final class IdentityModel {

    /** The retention with which every sweep of a storm is sent. */
    static final Duration RETENTION = Duration.ofMillis(2 * StormClock.MOST_AHEAD + 500);

    // Two open tasks at most, each with one step that is not reported.
    private static final int SILENT_STEPS = 2;

    private final StormQueues queues;
    private final LongUnaryOperator sweptUntil;
    private final LostClaims lostClaims;
    private final ChangeModel changes = new ChangeModel(this);

    /**
     * Makes a model.
     *
     * @param queues the settings of the queues
     * @param sweptUntil gives, for a nanosecond, the latest time of the clock in any sweep that was sent before it
     * @param lostClaims when claims were under way whose answers were lost
     */
    IdentityModel(StormQueues queues, LongUnaryOperator sweptUntil, LostClaims lostClaims) {
        this.queues = queues;
        this.sweptUntil = sweptUntil;
        this.lostClaims = lostClaims;
    }

    /**
     * The states that an operation can lead to, from this state or from one that it has silently become.
     *
     * @param since the nanosecond before which nothing more can have happened silently
     */
    Set<ModelState> after(ModelState state, StormOperation operation, long since) {
        Set<ModelState> results = new LinkedHashSet<>();
        Set<ModelState> seen = new LinkedHashSet<>(Set.of(state));
        List<ModelState> layer = List.of(state);
        for (int steps = 0; steps <= SILENT_STEPS && !layer.isEmpty(); steps++) {
            List<ModelState> next = new ArrayList<>();
            for (ModelState from : layer) {
                results.addAll(step(from, operation));
                for (ModelState silently : silentSteps(from, operation.span(), since)) {
                    if (seen.add(silently)) {
                        next.add(silently);
                    }
                }
            }
            layer = next;
        }
        return results;
    }

    /** The states that an operation leads to from exactly this state. */
    List<ModelState> step(ModelState state, StormOperation operation) {
        return switch (operation.action()) {
            case StormOperation.Submit submit -> submit(state, submit, operation);
            case StormOperation.Claim(Claimed claimed, Duration lease) ->
                claim(state, claimed, lease, operation.span());
            case StormOperation.Settle settle -> changes.settle(state, settle, operation.span());
            case StormOperation.Operate operate -> changes.operate(state, operate, operation.span());
            case StormOperation.Look(TaskId id, Task found) -> look(state, id, found, operation.span());
            case StormOperation.LookUp(var identity, KeyRecord found) -> lookUp(state, found, operation.span());
            case StormOperation.Signal signal -> changes.signal(state, signal, operation.span());
            case StormOperation.StepReturned(NewTask item, TaskId existing) ->
                stepReturned(state, item, existing, operation.span());
            case StormOperation.LetterLook(AttemptId death, KeyRecord found) -> lookForLetter(state, death, found);
        };
    }

    // ---- what happens without an answer

    private List<ModelState> silentSteps(ModelState state, Span span, long since) {
        List<ModelState> next = new ArrayList<>();
        for (ModelTask task : state.open()) {
            if (task.isRunning() && task.cancelRequested() && span.clockAnswered() >= task.dueFrom()) {
                // Any claim or sweep ends it, perhaps long before the call that shows it.
                next.add(end(
                        state, task.attemptEnded(Outcome.VANISHED).ended(task.cancelledState(), task.dueFrom(), null)));
            }
            Long limit = task.nextLimit();
            if (limit != null && span.clockAnswered() >= task.timing().from() + limit) {
                if (!task.isRunning()) {
                    next.add(end(state, task.expired(task.timing().from() + limit)));
                } else if (!task.cancelRequested()) {
                    next.add(state.with(task.stopped()));
                }
            }
            if (lostClaims.any(since, span.answered()) && isClaimable(state, task, span)) {
                next.add(state.with(task.begun(0, 0)));
            }
        }
        return next;
    }

    private static boolean isClaimable(ModelState state, ModelTask task, Span span) {
        Long limit = task.nextLimit();
        boolean overdue = limit != null && span.clockAsked() >= task.timing().until() + limit;
        if (span.clockAnswered() < task.dueFrom() || overdue) {
            return false;
        }
        return switch (task.state()) {
            case PENDING -> true;
            case RUNNING -> !task.cancelRequested();
            // Blocked by its mutex, unless it is parked or waits for another task of the identity.
            case WAITING ->
                task.isListening()
                        || (task.hasMutex()
                                && !task.parked()
                                && state.open().stream().noneMatch(ModelTask::isRunning));
            case COMPLETED, FAILED, CANCELLED, TIMED_OUT -> false;
        };
    }

    /** The state with a task that has ended, and with the one that waited for it let go. */
    ModelState end(ModelState state, ModelTask ended) {
        ModelTask before = state.task(ended.id());
        boolean forwards =
                ended.state().isDead() && queues.deadLettersTo(ended.item().queue()) != null;
        ModelState next = state.with(forwards ? ended.forwarded() : ended);
        if (before != null && before.state().isOpen()) {
            for (ModelTask other : next.open()) {
                if (other.state() == TaskState.WAITING && !other.parked() && !other.isListening()) {
                    next = next.with(other.pending(other.dueFrom()));
                }
            }
        }
        return next;
    }

    /** Whether a sweep may have removed a task by the end of a span. */
    boolean mayBeGone(ModelTask task, Span span) {
        Duration kept = isBare(task) ? queues.bareRetention() : RETENTION;
        return !task.state().isOpen() && sweptUntil.applyAsLong(span.answered()) >= task.endedFrom() + kept.toMillis();
    }

    /** Whether a task has lost its input and result with its end. */
    private boolean isBare(ModelTask task) {
        return queues.isBare(task.item().queue(), task.state());
    }

    /** Whether a sweep may have removed the record by the end of a span. */
    private boolean mayBeFree(ModelState state, HeldKey held, Span span) {
        return state.open().isEmpty() && sweptUntil.applyAsLong(span.answered()) >= held.expiresFrom();
    }

    /** The states in which a task is there, or not, as an answer shows. */
    List<ModelState> present(ModelState state, @Nullable ModelTask task, boolean shown, Span span) {
        boolean there = task != null && !task.gone();
        if (there == shown) {
            return List.of(state);
        }
        return there && task != null && mayBeGone(task, span) ? List.of(state.with(task.removed())) : List.of();
    }

    /** The states without the record, if it was or may have been removed. */
    List<ModelState> withoutRecord(ModelState state, Span span) {
        HeldKey held = state.held();
        if (held == null) {
            return List.of(state);
        }
        return mayBeFree(state, held, span) ? List.of(state.with((HeldKey) null)) : List.of();
    }

    /** Whether a window has passed: surely, surely not, or either. */
    static List<Boolean> windowPassed(HeldKey held, Span span) {
        List<Boolean> possible = new ArrayList<>();
        if (span.clockAsked() < held.expiresUntil()) {
            possible.add(false);
        }
        if (span.clockAnswered() >= held.expiresFrom()) {
            possible.add(true);
        }
        return possible;
    }

    // ---- submitting

    private List<ModelState> submit(ModelState state, StormOperation.Submit submit, StormOperation operation) {
        NewTask item = submit.item();
        Submitted answer = submit.answer();
        if (answer == null) {
            throw new IllegalStateException("A lost submission has the answer that evidence gives it, or is left out");
        }
        List<ModelState> next = new ArrayList<>();
        ModelTask same = state.task(item.id());
        for (ModelState seen : same == null ? List.of(state) : seenAgain(state, same, operation.span())) {
            ModelTask known = seen.task(item.id());
            boolean stored = known != null && !known.gone();
            HeldKey held = seen.held();
            boolean named = held != null && held.taskId().equals(item.id());
            if (stored || named) {
                if (answer instanceof Submitted.Created created && isSame(known, created, operation)) {
                    next.add(seen);
                }
            } else if (item.key() == null) {
                next.addAll(create(seen, item, 1, item.id(), answer, operation));
            } else {
                next.addAll(decide(seen, item, item.key(), answer, operation));
            }
        }
        return next;
    }

    /** A task that was submitted before, as it is or forgotten. */
    private List<ModelState> seenAgain(ModelState state, ModelTask task, Span span) {
        List<ModelState> possible = new ArrayList<>(List.of(state));
        if (!task.gone() && mayBeGone(task, span)) {
            possible.add(state.with(task.removed()));
        }
        HeldKey held = state.held();
        if (held != null && held.taskId().equals(task.id()) && mayBeFree(state, held, span)) {
            List.copyOf(possible).forEach(each -> possible.add(each.with((HeldKey) null)));
        }
        return possible;
    }

    private static boolean isSame(@Nullable ModelTask task, Submitted.Created created, StormOperation operation) {
        return task != null
                && created.run() == task.run()
                && created.createdAt().toEpochMilli() == task.createdAt()
                && (task.looksLike(created.state()) || operation.certainty() != StormOperation.Certainty.ANSWERED);
    }

    private List<ModelState> decide(
            ModelState state, NewTask item, NewTask.KeyRequest key, Submitted answer, StormOperation operation) {
        HeldKey held = state.held();
        Decision.Request request = new Decision.Request(item.type(), key.inputHash());
        if (held == null) {
            return create(state, item, 1, item.id(), answer, operation);
        }
        ModelTask holder = state.holder();
        List<ModelState> next = new ArrayList<>();
        for (boolean passed : windowPassed(held, operation.span())) {
            for (TaskState shown : statesOf(holder)) {
                Decision decision = Decision.decide(
                        new Decision.Existing(holder.item().type(), held.inputHash(), shown, holder.run(), passed),
                        request,
                        key.policy());
                next.addAll(follow(decision, state, item, answer, operation));
            }
        }
        return next;
    }

    /** A step of a workflow that is answered with the task that has its key. */
    private static List<ModelState> stepReturned(ModelState state, NewTask item, TaskId existing, Span span) {
        HeldKey held = state.held();
        NewTask.KeyRequest key = item.key();
        if (held == null || key == null || !held.taskId().equals(existing)) {
            return List.of();
        }
        ModelTask holder = state.holder();
        for (boolean passed : windowPassed(held, span)) {
            for (TaskState shown : statesOf(holder)) {
                Decision decision = Decision.decide(
                        new Decision.Existing(holder.item().type(), held.inputHash(), shown, holder.run(), passed),
                        new Decision.Request(item.type(), key.inputHash()),
                        key.policy());
                if (decision instanceof Decision.Return) {
                    return List.of(state);
                }
            }
        }
        return List.of();
    }

    private static List<TaskState> statesOf(ModelTask task) {
        return task.looksLike(TaskState.PENDING) && task.looksLike(TaskState.WAITING)
                ? List.of(TaskState.PENDING, TaskState.WAITING)
                : List.of(task.state());
    }

    private List<ModelState> follow(
            Decision decision, ModelState state, NewTask item, Submitted answer, StormOperation operation) {
        ModelTask holder = state.holder();
        return switch (decision) {
            case Decision.Create create -> create(state, item, 1, item.id(), answer, operation);
            case Decision.Rerun(int run, boolean sameLineage) ->
                create(state, item, run, sameLineage ? holder.lineage() : item.id(), answer, operation);
            case Decision.Replace(int run) -> {
                yield create(replaced(state, holder, operation.span()), item, run, item.id(), answer, operation);
            }
            case Decision.Return(boolean differs) ->
                answer instanceof Submitted.Returned(ExistingTask existing, boolean said) && said == differs
                        ? answeredWith(state, existing, operation.span())
                        : List.of();
            case Decision.Reject(boolean differs) ->
                answer instanceof Submitted.Rejected(ExistingTask existing, boolean said) && said == differs
                        ? answeredWith(state, existing, operation.span())
                        : List.of();
            case Decision.Conflict conflict ->
                answer instanceof Submitted.Conflicted(ExistingTask existing)
                        ? answeredWith(state, existing, operation.span())
                        : List.of();
        };
    }

    /** The state after a task was replaced: a workflow that has begun is asked by an entry in its inbox, and stays as it is. */
    private ModelState replaced(ModelState state, ModelTask holder, Span span) {
        boolean workflow = holder.item().options().workflow() != null;
        if (workflow && StoredFlow.mayCleanUp(holder.state(), holder.attempt() > 0, holder.parked())) {
            return state;
        }
        ModelTask asked = holder.askedToCancel();
        return holder.isRunning()
                ? state.with(asked)
                : end(state, asked.ended(TaskState.CANCELLED, span.clockAsked(), null));
    }

    private List<ModelState> answeredWith(ModelState state, ExistingTask existing, Span span) {
        ModelTask holder = state.holder();
        HeldKey held = state.held();
        boolean same = held != null
                && existing.taskId().equals(holder.id())
                && existing.run() == holder.run()
                && existing.type().equals(holder.item().type())
                && existing.inputHash().equals(held.inputHash())
                && existing.createdAt().toEpochMilli() == holder.createdAt()
                && holder.looksLike(existing.state());
        if (!same) {
            return List.of();
        }
        if (isBare(holder)) {
            return existing.dataGone() && existing.result() == null ? List.of(state) : List.of();
        }
        if (existing.dataGone()) {
            return present(state, holder, false, span);
        }
        boolean sameResult = Objects.equals(existing.result(), holder.result());
        return sameResult ? present(state, holder, true, span) : List.of();
    }

    private List<ModelState> create(
            ModelState state, NewTask item, int run, TaskId lineage, Submitted answer, StormOperation operation) {
        if (!(answer instanceof Submitted.Created created) || created.run() != run) {
            return List.of();
        }
        Span span = operation.span();
        long now = created.createdAt().toEpochMilli();
        boolean waits = item.key() != null && !state.open().isEmpty();
        TaskState at = waits ? TaskState.WAITING : TaskState.PENDING;
        // Each item of a batch is atomic, not the batch: a store may commit an item, do the others in another step, and
        // answer
        // with the state that the task has by then. So the answer's state is that of the creation or a later one.
        if (now < span.clockAsked() || now > span.clockAnswered()) {
            return List.of();
        }
        long due = item.start() instanceof NewTask.Start.After(Duration delay) ? now + delay.toMillis() : now;
        ModelTask forgotten = state.task(item.id());
        // The record of a dead letter outlives the task, so another life of the id forwards none at the same attempt.
        Set<Integer> letters = forgotten == null ? Set.of() : forgotten.letters();
        ModelState next =
                state.with(ModelTask.created(item, run, lineage, now, span.clockAnswered(), at, due, letters));
        NewTask.KeyRequest key = item.key();
        if (key != null) {
            long end = now + key.ttl().toMillis();
            next = next.with(new HeldKey(item.id(), key.inputHash(), end, end));
        }
        return List.of(next);
    }

    // ---- claiming and looking

    private static List<ModelState> claim(ModelState state, Claimed claimed, Duration lease, Span span) {
        ModelTask task = state.task(claimed.lease().taskId());
        boolean fits = task != null
                && isClaimable(state, task, span)
                && claimed.lease().attempt() == task.attempt() + 1
                && claimed.task().progress().attempt() == task.attempt() + 1
                && claimed.task().run() == task.run()
                && claimed.task().lineage().equals(task.lineage())
                && claimed.task().createdAt().toEpochMilli() == task.createdAt();
        return fits && task != null
                ? List.of(state.with(task.begun(
                        span.clockAsked() + lease.toMillis(), claimed.lease().claim())))
                : List.of();
    }

    private List<ModelState> look(ModelState state, TaskId id, @Nullable Task found, Span span) {
        ModelTask task = state.task(id);
        if (found == null || task == null) {
            return present(state, task, found != null, span);
        }
        boolean same = task.looksLike(found.state())
                && found.progress().attempt() == task.attempt()
                && found.run() == task.run()
                && found.lineage().equals(task.lineage())
                && found.createdAt().toEpochMilli() == task.createdAt()
                && found.progress().cancelRequested() == task.cancelRequested()
                && found.dataGone() == isBare(task)
                && Objects.equals(found.progress().result(), isBare(task) ? null : task.result());
        return same ? present(state, task, true, span) : List.of();
    }

    private List<ModelState> lookUp(ModelState state, @Nullable KeyRecord found, Span span) {
        HeldKey held = state.held();
        if (found == null) {
            return withoutRecord(state, span);
        }
        if (held == null) {
            return List.of();
        }
        ModelTask holder = state.holder();
        boolean same = found.taskId().equals(holder.id())
                && found.run() == holder.run()
                && found.lineage().equals(holder.lineage())
                && found.inputHash().equals(held.inputHash())
                && found.type().equals(holder.item().type())
                && found.expiresAt().toEpochMilli() >= held.expiresFrom()
                && found.expiresAt().toEpochMilli() <= held.expiresUntil()
                && holder.looksLike(found.state());
        if (same && isBare(holder)) {
            return found.dataGone() ? List.of(state) : List.of();
        }
        return same ? present(state, holder, !found.dataGone(), span) : List.of();
    }

    /** A task is in the dead-letter queue from the step on in which its queue's task died, and no other way. */
    private static List<ModelState> lookForLetter(ModelState state, AttemptId death, @Nullable KeyRecord found) {
        ModelTask task = state.task(death.taskId());
        boolean forwarded = task != null && task.letters().contains(death.attempt());
        boolean fits = found == null || found.run() == 1;
        return forwarded == (found != null) && fits ? List.of(state) : List.of();
    }
}
