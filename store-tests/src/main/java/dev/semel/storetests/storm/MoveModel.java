package dev.semel.storetests.storm;

import dev.semel.store.Applied;
import dev.semel.store.Attempt.Outcome;
import dev.semel.store.NewTask;
import dev.semel.store.Resolution;
import dev.semel.store.StoredEffect;
import dev.semel.store.Transition;
import dev.semel.storetests.storm.ModelState.Held;
import dev.semel.task.EffectId;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The transitions of {@link IdentityModel}: M1 to M10 and E1 to E8. */
final class MoveModel {

    // Effects of a storm have no windows, so their times decide nothing.
    private static final Instant SOME_TIME = Instant.EPOCH;

    /** What a transition does to a state, and the answer that goes with it. */
    private record Result(Applied answer, ModelState next) {}

    private final IdentityModel model;

    MoveModel(IdentityModel model) {
        this.model = model;
    }

    /** The states that a transition with its answer can lead to; with any answer, if that was lost. */
    List<ModelState> step(ModelState state, StormOperation.Move operation, Span span) {
        List<ModelState> next = new ArrayList<>();
        for (Result result : results(state, operation, span)) {
            if (operation.answer() == null || operation.answer() == result.answer()) {
                next.add(result.next());
            }
        }
        return next;
    }

    private List<Result> results(ModelState state, StormOperation.Move operation, Span span) {
        return switch (operation.move()) {
            case Transition.Ending ending -> end(state, ending, operation.inTransaction(), span);
            case Transition.Extend extend -> extend(state, extend, span);
            case Transition.Intend intend -> intend(state, intend, span);
            case Transition.Conclude conclude -> conclude(state, conclude);
            case Transition.Resolve resolve -> resolve(state, resolve, span);
            case Transition.Cancel(TaskId id) -> cancel(state, id, span);
            case Transition.Redrive redrive -> redrive(state, redrive, span);
            case Transition.ReleaseKey release -> release(state, release, span);
            case Transition.CountDuplicates count -> throw new IllegalArgumentException("not of a storm: " + count);
            case Transition.OfQueue queue -> throw new IllegalArgumentException("of no identity: " + queue);
        };
    }

    /** The answers about a task that is not there, or may have been removed. */
    private List<Result> absent(ModelState state, TaskId id, Span span) {
        List<Result> results = new ArrayList<>();
        model.present(state, state.task(id), false, span)
                .forEach(next -> results.add(new Result(Applied.NOT_FOUND, next)));
        return results;
    }

    // ---- by the worker

    private List<Result> end(ModelState state, Transition.Ending move, boolean inTransaction, Span span) {
        Lease lease = move.lease();
        List<Result> results = absent(state, lease.taskId(), span);
        ModelTask task = state.task(lease.taskId());
        if (task == null || task.gone()) {
            return results;
        }
        Outcome known = task.outcomes().get(lease.attempt());
        if (known != null || lease.attempt() != task.attempt() || !task.isRunning()) {
            // In a transaction a completion that was committed before is stale, or the handler's writes would be done
            // twice.
            boolean repeated = known == move.outcome() && !inTransaction;
            results.add(new Result(repeated ? Applied.APPLIED : Applied.STALE, state));
            return results;
        }
        results.add(new Result(Applied.APPLIED, ended(state, task.attemptEnded(move.outcome()), move, span)));
        return results;
    }

    private static ModelState ended(ModelState state, ModelTask task, Transition.Ending move, Span span) {
        long now = span.clockAsked();
        return switch (move) {
            case Transition.Complete complete ->
                IdentityModel.end(state, task.ended(TaskState.COMPLETED, now, complete.result()));
            case Transition.Retry retry ->
                pendingOrCancelled(state, task, now + retry.delay().toMillis(), span);
            case Transition.PutBack putBack ->
                pendingOrCancelled(state, task, now + putBack.delay().toMillis(), span);
            case Transition.Fail fail -> {
                TaskState end = fail.timedOut() ? TaskState.TIMED_OUT : TaskState.FAILED;
                yield IdentityModel.end(
                        state, task.ended(task.cancelRequested() ? TaskState.CANCELLED : end, now, null));
            }
            case Transition.Cancelled cancelled -> IdentityModel.end(state, task.ended(TaskState.CANCELLED, now, null));
            case Transition.Park park -> {
                StoredEffect parked = StoredEffect.parked(state.effect(park.effect()), park);
                ModelState noted = parked == null ? state : state.with(parked);
                yield parked != null && !task.cancelRequested()
                        ? noted.with(task.parkedNow())
                        : pendingOrCancelled(noted, task, now, span);
            }
        };
    }

    private static ModelState pendingOrCancelled(ModelState state, ModelTask task, long due, Span span) {
        return task.cancelRequested()
                ? IdentityModel.end(state, task.ended(TaskState.CANCELLED, span.clockAsked(), null))
                : state.with(task.pending(due));
    }

    private List<Result> extend(ModelState state, Transition.Extend move, Span span) {
        Lease lease = move.lease();
        List<Result> results = absent(state, lease.taskId(), span);
        ModelTask task = state.task(lease.taskId());
        if (task == null || task.gone()) {
            return results;
        }
        if (!runs(task, lease)) {
            results.add(new Result(Applied.STALE, state));
            return results;
        }
        results.add(new Result(
                task.cancelRequested() ? Applied.CANCEL_REQUESTED : Applied.APPLIED,
                state.with(task.extended(span.clockAsked() + move.duration().toMillis()))));
        return results;
    }

    private static boolean runs(@Nullable ModelTask task, Lease lease) {
        return task != null && task.isRunning() && task.attempt() == lease.attempt();
    }

    // ---- effects

    private List<Result> intend(ModelState state, Transition.Intend move, Span span) {
        List<Result> results = absent(state, move.lease().taskId(), span);
        ModelTask task = state.task(move.lease().taskId());
        if (task != null && !task.gone()) {
            results.add(
                    runs(task, move.lease())
                            ? changed(state, StoredEffect.intend(state.effect(move.effect()), move, SOME_TIME))
                            : new Result(Applied.STALE, state));
        }
        return results;
    }

    private static Result changed(ModelState state, StoredEffect.Change change) {
        StoredEffect next = change.next();
        return new Result(change.answer(), next == null ? state : state.with(next));
    }

    private static List<Result> conclude(ModelState state, Transition.Conclude move) {
        boolean runs = runs(state.task(move.lease().taskId()), move.lease());
        List<Result> results = new ArrayList<>();
        for (ModelState seen : withOrWithout(state, move.effect())) {
            results.add(changed(seen, StoredEffect.conclude(seen.effect(move.effect()), move, runs, SOME_TIME)));
        }
        return results;
    }

    /** An effect may be forgotten as soon as no task of its lineage is open: by a sweep, a release or a submission. */
    private static List<ModelState> withOrWithout(ModelState state, EffectId id) {
        return state.effect(id) == null || state.isLineageOpen(id.lineage())
                ? List.of(state)
                : List.of(state, state.withoutEffect(id));
    }

    private static List<Result> resolve(ModelState state, Transition.Resolve move, Span span) {
        List<Result> results = new ArrayList<>();
        for (ModelState seen : withOrWithout(state, move.effect())) {
            StoredEffect effect = seen.effect(move.effect());
            ModelTask by = effect == null ? null : seen.task(effect.by().taskId());
            StoredEffect.Change change = StoredEffect.resolve(effect, move, standing(by, effect), SOME_TIME);
            Result noted = changed(seen, change);
            StoredEffect next = change.next();
            if (next != null
                    && by != null
                    && by.parked()
                    && by.attempt() == next.by().attempt()) {
                ModelState woken = move.resolution().verdict() == Resolution.Verdict.GIVE_UP
                        ? IdentityModel.end(noted.next(), by.ended(TaskState.FAILED, span.clockAsked(), null))
                        : noted.next().with(by.pending(span.clockAsked()));
                noted = new Result(noted.answer(), woken);
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

    // ---- by a person

    private List<Result> cancel(ModelState state, TaskId id, Span span) {
        List<Result> results = absent(state, id, span);
        ModelTask task = state.task(id);
        if (task == null || task.gone()) {
            return results;
        }
        ModelTask asked = task.askedToCancel();
        results.add(
                switch (task.state()) {
                    case PENDING, WAITING ->
                        new Result(
                                Applied.APPLIED,
                                IdentityModel.end(state, asked.ended(TaskState.CANCELLED, span.clockAsked(), null)));
                    case RUNNING -> new Result(Applied.CANCEL_REQUESTED, state.with(asked));
                    case CANCELLED -> new Result(Applied.APPLIED, state);
                    case COMPLETED, FAILED, TIMED_OUT -> new Result(Applied.STALE, state);
                });
        return results;
    }

    private List<Result> redrive(ModelState state, Transition.Redrive move, Span span) {
        List<Result> results = absent(state, move.taskId(), span);
        ModelTask task = state.task(move.taskId());
        if (task == null || task.gone()) {
            return results;
        }
        if (task.redriven().contains(move.attempt())) {
            results.add(new Result(Applied.APPLIED, state));
            return results;
        }
        if (!task.state().isDead() || task.attempt() != move.attempt()) {
            results.add(new Result(Applied.STALE, state));
            return results;
        }
        ModelState pending = state.with(task.redrivenAt(span.clockAsked()));
        NewTask.KeyRequest key = task.item().key();
        if (key == null) {
            results.add(new Result(Applied.APPLIED, pending));
            return results;
        }
        if (!state.open().isEmpty()) {
            results.add(new Result(Applied.SUPERSEDED, state));
            return results;
        }
        Held held = state.held();
        long ttl = key.ttl().toMillis();
        Held renewed = new Held(task.id(), key.inputHash(), span.clockAsked() + ttl, span.clockAnswered() + ttl);
        boolean own = held != null && held.taskId().equals(task.id());
        long end = task.createdAt() + ttl;
        Held before = own && held != null ? held : new Held(task.id(), key.inputHash(), end, end);
        // A record that a sweep removed is the same as one whose window has passed: the task makes it anew.
        List<Boolean> othersPassed = held == null || own ? List.of(true) : IdentityModel.windowPassed(held, span);
        for (boolean free : othersPassed) {
            if (!free) {
                results.add(new Result(Applied.SUPERSEDED, state));
            } else {
                for (boolean passed : IdentityModel.windowPassed(before, span)) {
                    results.add(new Result(Applied.APPLIED, pending.with(passed ? renewed : before)));
                }
            }
        }
        return results;
    }

    private List<Result> release(ModelState state, Transition.ReleaseKey move, Span span) {
        List<Result> results = new ArrayList<>();
        ModelTask task = state.task(move.taskId());
        for (ModelState free : model.withoutRecord(state, span)) {
            if (task != null && !task.gone()) {
                results.add(new Result(Applied.APPLIED, free));
            }
            model.present(free, free.task(move.taskId()), false, span)
                    .forEach(next -> results.add(new Result(Applied.NOT_FOUND, next)));
        }
        Held held = state.held();
        if (held != null) {
            if (!held.taskId().equals(move.taskId())) {
                results.add(new Result(Applied.SUPERSEDED, state));
            } else if (!state.open().isEmpty()) {
                results.add(new Result(Applied.HELD, state));
            } else {
                results.add(new Result(Applied.APPLIED, state.with((Held) null)));
            }
        }
        return results;
    }
}
