package dev.semel.storetests.storm;

import dev.semel.store.Attempt.Outcome;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Resolution;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.StoredEffect;
import dev.semel.store.StoredFlow;
import dev.semel.store.Submitted;
import dev.semel.storetests.storm.ModelState.HeldKey;
import dev.semel.task.EffectId;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The settlements and operations of {@link IdentityModel}: M1 to M10, E1 to E8, and those of workflows. */
final class ChangeModel {

    // Effects of a storm have no windows, so their times decide nothing.
    private static final Instant SOME_TIME = Instant.EPOCH;

    /**
     * A state that a settlement or an operation leads to, and its answer.
     *
     * @param <A> the type of the answer
     */
    private record Result<A extends Enum<A>>(A answer, ModelState next) {}

    private final IdentityModel model;

    ChangeModel(IdentityModel model) {
        this.model = model;
    }

    /** The states that a settlement with its answer can lead to; with any answer, if that was lost. */
    List<ModelState> settle(ModelState state, StormOperation.Settle sent, Span span) {
        List<Result<Settled>> results = switch (sent.settlement()) {
            case Settlement.Ending ending -> end(state, ending, sent.inTransaction(), span);
            case Settlement.Extend extend -> extend(state, extend, span);
            case Settlement.Intend intend -> intend(state, intend, span);
            case Settlement.Refer refer -> refer(state, refer, span);
            case Settlement.Conclude conclude -> conclude(state, conclude);
            case Settlement.Advance advance -> advance(state, advance, span);
        };
        Lease lease = sent.settlement().lease();
        ModelTask task = state.task(lease.taskId());
        // Of an attempt with the same number in an earlier life of the id, which a sweep has forgotten.
        if (task != null && runs(task, lease) && task.claim() != lease.claim()) {
            results.add(new Result<>(Settled.STALE, state));
        }
        return matching(results, sent.answer());
    }

    /** The states that an operation with its answer can lead to; with any answer, if that was lost. */
    List<ModelState> operate(ModelState state, StormOperation.Operate sent, Span span) {
        List<Result<Operated>> results = switch (sent.operation()) {
            case Operation.Resolve resolve -> resolve(state, resolve, span);
            case Operation.Cancel(TaskId id) -> cancel(state, id, span);
            case Operation.Redrive redrive -> redrive(state, redrive, span);
            case Operation.Restart restart -> restart(state, restart, span);
            case Operation.ReleaseKey release -> release(state, release, span);
            case Operation.Erase(TaskId id) -> throw new IllegalArgumentException("not in the storm: erasure of " + id);
            case Operation.ChangeSchedule schedule ->
                throw new IllegalArgumentException("of no identity: " + schedule.id());
            case Operation.OfQueue queue -> throw new IllegalArgumentException("of no identity: " + queue);
        };
        return matching(results, sent.answer());
    }

    private static <A extends Enum<A>> List<ModelState> matching(List<Result<A>> results, @Nullable A answer) {
        List<ModelState> next = new ArrayList<>();
        for (Result<A> result : results) {
            if (answer == null || answer == result.answer()) {
                next.add(result.next());
            }
        }
        return next;
    }

    /** The answers about a task that is not there, or may have been removed. */
    private <A extends Enum<A>> List<Result<A>> absent(ModelState state, TaskId id, Span span, A notFound) {
        List<Result<A>> results = new ArrayList<>();
        model.present(state, state.task(id), false, span).forEach(next -> results.add(new Result<>(notFound, next)));
        return results;
    }

    // ---- settlements

    private List<Result<Settled>> end(
            ModelState state, Settlement.Ending settlement, boolean inTransaction, Span span) {
        Lease lease = settlement.lease();
        List<Result<Settled>> results = absent(state, lease.taskId(), span, Settled.NOT_FOUND);
        ModelTask task = state.task(lease.taskId());
        if (task == null || task.gone()) {
            return results;
        }
        Outcome known = task.outcomes().get(lease.attempt());
        if (known != null || lease.attempt() != task.attempt() || !task.isRunning()) {
            // In a transaction a completion that was committed before is stale, or the handler's writes would be done
            // twice.
            boolean repeated = known == settlement.outcome() && !inTransaction;
            results.add(new Result<>(repeated ? Settled.APPLIED : Settled.STALE, state));
            return results;
        }
        results.add(
                new Result<>(Settled.APPLIED, ended(state, task.attemptEnded(settlement.outcome()), settlement, span)));
        return results;
    }

    private ModelState ended(ModelState state, ModelTask task, Settlement.Ending settlement, Span span) {
        long now = span.clockAsked();
        return switch (settlement) {
            case Settlement.Complete complete ->
                model.end(state, task.ended(TaskState.COMPLETED, now, complete.result()));
            case Settlement.Retry retry ->
                pendingOrCancelled(state, task, now + retry.delay().toMillis(), span);
            case Settlement.PutBack putBack ->
                pendingOrCancelled(state, task, now + putBack.delay().toMillis(), span);
            case Settlement.Fail fail -> {
                TaskState end = fail.timedOut() ? TaskState.TIMED_OUT : TaskState.FAILED;
                yield model.end(state, task.ended(task.cancelRequested() ? task.cancelledState() : end, now, null));
            }
            case Settlement.Cancelled cancelled -> model.end(state, task.ended(task.cancelledState(), now, null));
            case Settlement.Wait wait ->
                task.cancelRequested()
                        ? model.end(state, task.ended(task.cancelledState(), now, null))
                        : state.with(task.listeningNow());
            case Settlement.Continue next ->
                pendingOrCancelled(
                        state,
                        task.cancelRequested() ? task : task.with(task.flow().continued()),
                        now,
                        span);
            case Settlement.Park park -> {
                StoredEffect parked = StoredEffect.parked(state.effect(park.effect()), park);
                ModelState noted = parked == null ? state : state.with(parked);
                yield parked != null && !task.cancelRequested()
                        ? noted.with(task.parkedNow())
                        : pendingOrCancelled(noted, task, now, span);
            }
        };
    }

    private ModelState pendingOrCancelled(ModelState state, ModelTask task, long due, Span span) {
        return task.cancelRequested()
                ? model.end(state, task.ended(task.cancelledState(), span.clockAsked(), null))
                : state.with(task.pending(due));
    }

    private List<Result<Settled>> extend(ModelState state, Settlement.Extend settlement, Span span) {
        Lease lease = settlement.lease();
        List<Result<Settled>> results = absent(state, lease.taskId(), span, Settled.NOT_FOUND);
        ModelTask task = state.task(lease.taskId());
        if (task == null || task.gone()) {
            return results;
        }
        if (!runs(task, lease)) {
            results.add(new Result<>(Settled.STALE, state));
            return results;
        }
        results.add(new Result<>(
                task.cancelRequested() ? Settled.CANCEL_REQUESTED : Settled.APPLIED,
                state.with(
                        task.extended(span.clockAsked() + settlement.duration().toMillis()))));
        return results;
    }

    private List<Result<Settled>> advance(ModelState state, Settlement.Advance settlement, Span span) {
        Lease lease = settlement.lease();
        List<Result<Settled>> results = absent(state, lease.taskId(), span, Settled.NOT_FOUND);
        ModelTask task = state.task(lease.taskId());
        if (task == null || task.gone()) {
            return results;
        }
        int last = settlement.first() + settlement.lines().size() - 1;
        // Another transaction holds the key of one of its steps.
        results.add(new Result<>(Settled.BUSY, state));
        if (!runs(task, lease)) {
            results.add(new Result<>(Settled.STALE, state));
        } else if (last <= task.flow().lines()) {
            results.add(new Result<>(Settled.APPLIED, state));
        } else if (settlement.first() != task.flow().lines() + 1) {
            results.add(new Result<>(Settled.STALE, state));
        } else {
            results.add(new Result<>(
                    Settled.APPLIED, state.with(task.with(task.flow().with(last)))));
        }
        return results;
    }

    /** The states that a signal with its answer can lead to; with any answer, if that was lost. */
    List<ModelState> signal(ModelState state, StormOperation.Signal sent, Span span) {
        TaskId id = sent.signal().taskId();
        List<Result<Submitted.Signalled>> results = absent(state, id, span, Submitted.Signalled.NOT_FOUND);
        ModelTask task = state.task(id);
        if (task != null && !task.gone()) {
            String key = sent.signal().key();
            if (task.item().key() != null && task.run() > 1) {
                // An earlier run may have accepted it; FlowChecker knows.
                results.add(new Result<>(Submitted.Signalled.ACCEPTED, state));
            }
            if (task.flow().signals().contains(key)) {
                results.add(new Result<>(Submitted.Signalled.ACCEPTED, state));
            } else if (task.state().isOpen()) {
                results.add(new Result<>(
                        Submitted.Signalled.ACCEPTED,
                        state.with(task.with(task.flow().with(key)))));
            } else {
                results.add(new Result<>(Submitted.Signalled.ENDED, state));
            }
        }
        return matching(results, sent.answer());
    }

    private static boolean runs(@Nullable ModelTask task, Lease lease) {
        return task != null && task.isRunning() && task.attempt() == lease.attempt();
    }

    // ---- effects

    private List<Result<Settled>> intend(ModelState state, Settlement.Intend settlement, Span span) {
        List<Result<Settled>> results = absent(state, settlement.lease().taskId(), span, Settled.NOT_FOUND);
        ModelTask task = state.task(settlement.lease().taskId());
        if (task != null && !task.gone()) {
            results.add(
                    runs(task, settlement.lease())
                            ? changed(
                                    state,
                                    StoredEffect.intend(state.effect(settlement.effect()), settlement, SOME_TIME))
                            : new Result<>(Settled.STALE, state));
        }
        return results;
    }

    private List<Result<Settled>> refer(ModelState state, Settlement.Refer settlement, Span span) {
        List<Result<Settled>> results = absent(state, settlement.lease().taskId(), span, Settled.NOT_FOUND);
        ModelTask task = state.task(settlement.lease().taskId());
        if (task != null && !task.gone()) {
            results.add(
                    runs(task, settlement.lease())
                            ? changed(state, StoredEffect.refer(state.effect(settlement.effect()), settlement))
                            : new Result<>(Settled.STALE, state));
        }
        return results;
    }

    private static <A extends Enum<A>> Result<A> changed(ModelState state, StoredEffect.Change<A> change) {
        StoredEffect next = change.next();
        return new Result<>(change.answer(), next == null ? state : state.with(next));
    }

    private static List<Result<Settled>> conclude(ModelState state, Settlement.Conclude settlement) {
        boolean runs = runs(state.task(settlement.lease().taskId()), settlement.lease());
        List<Result<Settled>> results = new ArrayList<>();
        for (ModelState seen : withOrWithout(state, settlement.effect())) {
            results.add(changed(
                    seen, StoredEffect.conclude(seen.effect(settlement.effect()), settlement, runs, SOME_TIME)));
        }
        return results;
    }

    /** An effect may be forgotten as soon as no task of its lineage is open: by a sweep, a release or a submission. */
    private static List<ModelState> withOrWithout(ModelState state, EffectId id) {
        return state.effect(id) == null || state.isLineageOpen(id.lineage())
                ? List.of(state)
                : List.of(state, state.withoutEffect(id));
    }

    private List<Result<Operated>> resolve(ModelState state, Operation.Resolve operation, Span span) {
        List<Result<Operated>> results = new ArrayList<>();
        for (ModelState seen : withOrWithout(state, operation.effect())) {
            StoredEffect effect = seen.effect(operation.effect());
            ModelTask by = effect == null ? null : seen.task(effect.by().taskId());
            StoredEffect.Change<Operated> change = StoredEffect.resolve(
                    effect, operation, standing(by, effect), by != null && by.isWorkflow(), SOME_TIME);
            Result<Operated> noted = changed(seen, change);
            StoredEffect next = change.next();
            if (next != null
                    && by != null
                    && by.parked()
                    && by.attempt() == next.by().attempt()) {
                ModelState woken = operation.resolution().verdict() == Resolution.Verdict.GIVE_UP
                        ? model.end(noted.next(), by.ended(TaskState.FAILED, span.clockAsked(), null))
                        : noted.next().with(by.pending(span.clockAsked()));
                noted = new Result<>(noted.answer(), woken);
            }
            results.add(noted);
        }
        return results;
    }

    private static StoredEffect.Standing standing(@Nullable ModelTask task, @Nullable StoredEffect effect) {
        if (task == null || effect == null || !task.state().isOpen()) {
            return StoredEffect.Standing.OVER;
        }
        boolean newest = task.attempt() == effect.by().attempt();
        if (newest && task.isRunning()) {
            return StoredEffect.Standing.AT_IT;
        }
        return newest && task.parked() ? StoredEffect.Standing.PARKED : StoredEffect.Standing.OPEN;
    }

    // ---- operations

    private List<Result<Operated>> cancel(ModelState state, TaskId id, Span span) {
        List<Result<Operated>> results = absent(state, id, span, Operated.NOT_FOUND);
        ModelTask task = state.task(id);
        if (task == null || task.gone()) {
            return results;
        }
        ModelTask asked = task.askedToCancel();
        results.add(
                switch (task.state()) {
                    case PENDING, WAITING ->
                        new Result<>(
                                Operated.APPLIED,
                                model.end(state, asked.ended(TaskState.CANCELLED, span.clockAsked(), null)));
                    case RUNNING -> new Result<>(Operated.CANCEL_REQUESTED, state.with(asked));
                    case CANCELLED -> new Result<>(Operated.APPLIED, state);
                    case COMPLETED, FAILED, TIMED_OUT -> new Result<>(Operated.STALE, state);
                });
        return results;
    }

    private List<Result<Operated>> redrive(ModelState state, Operation.Redrive operation, Span span) {
        List<Result<Operated>> results = absent(state, operation.taskId(), span, Operated.NOT_FOUND);
        ModelTask task = state.task(operation.taskId());
        if (task == null || task.gone()) {
            return results;
        }
        if (task.redriven().contains(operation.attempt())) {
            results.add(new Result<>(Operated.APPLIED, state));
            return results;
        }
        if (!task.state().isDead() || task.attempt() != operation.attempt()) {
            results.add(new Result<>(Operated.STALE, state));
            return results;
        }
        results.addAll(runAgain(state, task, task.redrivenAt(span.clockAsked(), span.clockAnswered()), span));
        return results;
    }

    /** A restart of a workflow: F18 and F19. */
    private List<Result<Operated>> restart(ModelState state, Operation.Restart operation, Span span) {
        List<Result<Operated>> results = absent(state, operation.taskId(), span, Operated.NOT_FOUND);
        ModelTask task = state.task(operation.taskId());
        if (task == null || task.gone()) {
            return results;
        }
        ModelTask.Flow flow = task.flow();
        Integer begun = flow.restarts().get(operation.generation() + 1);
        if (begun != null && begun == operation.from()) {
            results.add(new Result<>(Operated.APPLIED, state));
            return results;
        }
        if (operation.generation() != flow.generation() || operation.from() > flow.lines() + 1) {
            results.add(new Result<>(Operated.STALE, state));
            return results;
        }
        boolean allowed = StoredFlow.mayRestart(task.state(), task.attempt() > 0, task.isListening());
        // It may wait for its mutex, which depends on tasks of other identities.
        if (!allowed || (task.hasMutex() && task.state().isOpen())) {
            results.add(new Result<>(Operated.HELD, state));
        }
        if (allowed) {
            ModelTask again = task.restarted(operation.from(), span.clockAsked(), span.clockAnswered());
            results.addAll(runAgain(state, task, again, span));
        }
        return results;
    }

    /** A task that runs again takes its key back, or a newer task has it. */
    private static List<Result<Operated>> runAgain(ModelState state, ModelTask task, ModelTask again, Span span) {
        List<Result<Operated>> results = new ArrayList<>();
        ModelState pending = state.with(again);
        NewTask.KeyRequest key = task.item().key();
        if (key == null) {
            results.add(new Result<>(Operated.APPLIED, pending));
            return results;
        }
        if (task.state().isOpen()) {
            boolean holds = state.held() != null && state.held().taskId().equals(task.id());
            results.add(holds ? new Result<>(Operated.APPLIED, pending) : new Result<>(Operated.SUPERSEDED, state));
            return results;
        }
        if (!state.open().isEmpty()) {
            results.add(new Result<>(Operated.SUPERSEDED, state));
            return results;
        }
        HeldKey held = state.held();
        long ttl = key.ttl().toMillis();
        HeldKey renewed = new HeldKey(task.id(), key.inputHash(), span.clockAsked() + ttl, span.clockAnswered() + ttl);
        boolean own = held != null && held.taskId().equals(task.id());
        long end = task.createdAt() + ttl;
        HeldKey before = own && held != null ? held : new HeldKey(task.id(), key.inputHash(), end, end);
        // A record that a sweep removed is the same as one whose window has passed: the task makes it again.
        List<Boolean> othersPassed = held == null || own ? List.of(true) : IdentityModel.windowPassed(held, span);
        for (boolean free : othersPassed) {
            if (!free) {
                results.add(new Result<>(Operated.SUPERSEDED, state));
            } else {
                for (boolean passed : IdentityModel.windowPassed(before, span)) {
                    results.add(new Result<>(Operated.APPLIED, pending.with(passed ? renewed : before)));
                }
            }
        }
        return results;
    }

    private List<Result<Operated>> release(ModelState state, Operation.ReleaseKey operation, Span span) {
        List<Result<Operated>> results = new ArrayList<>();
        ModelTask task = state.task(operation.taskId());
        for (ModelState free : model.withoutRecord(state, span)) {
            if (task != null && !task.gone()) {
                results.add(new Result<>(Operated.APPLIED, free));
            }
            model.present(free, free.task(operation.taskId()), false, span)
                    .forEach(next -> results.add(new Result<>(Operated.NOT_FOUND, next)));
        }
        HeldKey held = state.held();
        if (held != null) {
            if (!held.taskId().equals(operation.taskId())) {
                results.add(new Result<>(Operated.SUPERSEDED, state));
            } else if (!state.open().isEmpty()) {
                results.add(new Result<>(Operated.HELD, state));
            } else {
                results.add(new Result<>(Operated.APPLIED, state.with((HeldKey) null)));
            }
        }
        return results;
    }
}
