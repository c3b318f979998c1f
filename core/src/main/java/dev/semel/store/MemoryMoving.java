package dev.semel.store;

import dev.semel.store.Allowances.MemoryQueue;
import dev.semel.task.Identity;
import dev.semel.task.Lease;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The laws of moving, M1 to M11, for {@link InMemoryTaskStore}. */
final class MemoryMoving {

    private final MemoryTables tables;
    private final MemorySubmitting submitting;
    private final MemoryEffects effects;

    MemoryMoving(MemoryTables tables, MemorySubmitting submitting, MemoryEffects effects) {
        this.tables = tables;
        this.submitting = submitting;
        this.effects = effects;
    }

    Applied apply(Transition move, Instant now) {
        return switch (move) {
            case Transition.Ending ending -> end(ending, now);
            case Transition.Extend(Lease lease, Duration duration) -> extend(lease, duration, now);
            case Transition.Intend intend -> effects.intend(intend, now);
            case Transition.Conclude conclude -> effects.conclude(conclude, now);
            case Transition.Resolve resolve -> resolve(resolve, now);
            case Transition.Cancel cancel -> cancel(tables.find(cancel.taskId()), now);
            case Transition.Redrive redrive -> redrive(tables.find(redrive.taskId()), redrive.attempt(), now);
            case Transition.ReleaseKey release -> release(release);
            case Transition.CountDuplicates count -> count(count, now);
            case Transition.DeclareQueue declare ->
                change(declare.queue(), before -> new QueueSetUp(declare.settings(), before.set()), now);
            case Transition.SetQueue set ->
                change(
                        set.queue(),
                        before ->
                                new QueueSetUp(before.declared(), set.changes().or(before.set())),
                        now);
            case Transition.ResetQueue reset ->
                change(reset.queue(), before -> new QueueSetUp(before.declared(), QueueSettings.NONE), now);
        };
    }

    private Applied end(Transition.Ending move, Instant now) {
        Lease lease = move.lease();
        StoredTask task = tables.find(lease.taskId());
        if (task == null) {
            return Applied.NOT_FOUND;
        }
        Attempt attempt = tables.attempt(lease.taskId(), lease.attempt());
        if (attempt == null) {
            return Applied.STALE;
        }
        if (attempt.outcome() != null) {
            // Ended before: by an earlier send of this very move, or otherwise, a vanished lease included.
            return attempt.outcome() == move.outcome() ? Applied.APPLIED : Applied.STALE;
        }
        switch (move) {
            case Transition.Complete complete -> {
                tables.saveEnded(task.ended(TaskState.COMPLETED, now, complete.result()));
                if (tables.settings(task.task().queue()).keepsNothing()) {
                    effects.forgetWith(task.task());
                }
            }
            case Transition.Retry retry -> pendingOrCancelled(task.failedOnce(retry.error()), retry.delay(), now);
            case Transition.Fail fail -> {
                TaskState end = fail.timedOut() ? TaskState.TIMED_OUT : TaskState.FAILED;
                StoredTask dead = task.failedOnce(fail.error())
                        .ended(task.cancelRequested() ? TaskState.CANCELLED : end, now, null);
                tables.saveEnded(dead);
                tellDeadLetterQueue(dead.task(), now);
            }
            case Transition.PutBack putBack -> pendingOrCancelled(task, putBack.delay(), now);
            case Transition.Park park -> park(task, park, now);
            case Transition.Cancelled cancelled -> tables.saveEnded(task.ended(TaskState.CANCELLED, now, null));
        }
        tables.endAttempt(task.id(), lease.attempt(), move.outcome(), errorOf(move), now);
        return Applied.APPLIED;
    }

    private void park(StoredTask task, Transition.Park move, Instant now) {
        boolean waits = effects.park(move);
        if (waits && !task.cancelRequested()) {
            tables.save(task.parkedFor(move.reason()));
        } else {
            pendingOrCancelled(task.parkedFor(move.reason()), Duration.ZERO, now);
        }
    }

    private Applied resolve(Transition.Resolve move, Instant now) {
        StoredEffect.Change change = effects.resolve(move, now);
        StoredEffect effect = change.next();
        StoredTask task = effect == null ? null : tables.find(effect.by().taskId());
        if (effect != null
                && task != null
                && task.parked()
                && task.attempt() == effect.by().attempt()) {
            if (move.resolution().verdict() == Resolution.Verdict.GIVE_UP) {
                StoredTask dead = task.givenUp(now, move.givenUp());
                tables.saveEnded(dead);
                tellDeadLetterQueue(dead.task(), now);
            } else {
                tables.save(task.pending(now));
            }
        }
        return change.answer();
    }

    private void tellDeadLetterQueue(Task dead, Instant now) {
        String queue = tables.settings(dead.queue()).deadLettersTo();
        if (dead.state().isDead() && queue != null) {
            submitting.submit(DeadLetter.of(dead, queue, now), now);
        }
    }

    private void pendingOrCancelled(StoredTask task, Duration delay, Instant now) {
        if (task.cancelRequested()) {
            tables.saveEnded(task.ended(TaskState.CANCELLED, now, null));
        } else {
            tables.save(task.pending(InMemoryTaskStore.toMillis(now.plus(delay))));
        }
    }

    private static @Nullable String errorOf(Transition.Ending move) {
        return switch (move) {
            case Transition.Retry retry -> retry.error();
            case Transition.Fail fail -> fail.error();
            case Transition.Complete complete -> null;
            case Transition.PutBack putBack -> null;
            case Transition.Park park -> park.reason();
            case Transition.Cancelled cancelled -> null;
        };
    }

    private Applied extend(Lease lease, Duration duration, Instant now) {
        StoredTask task = tables.find(lease.taskId());
        if (task == null) {
            return Applied.NOT_FOUND;
        }
        if (task.state() != TaskState.RUNNING || task.attempt() != lease.attempt()) {
            return Applied.STALE;
        }
        tables.save(task.extended(InMemoryTaskStore.toMillis(now.plus(duration))));
        return task.cancelRequested() ? Applied.CANCEL_REQUESTED : Applied.APPLIED;
    }

    private Applied cancel(@Nullable StoredTask task, Instant now) {
        if (task == null) {
            return Applied.NOT_FOUND;
        }
        return switch (task.state()) {
            case PENDING, WAITING -> {
                tables.saveEnded(task.askedToCancel().ended(TaskState.CANCELLED, now, null));
                yield Applied.APPLIED;
            }
            case RUNNING -> {
                tables.save(task.askedToCancel());
                yield Applied.CANCEL_REQUESTED;
            }
            case CANCELLED -> Applied.APPLIED;
            case COMPLETED, FAILED, TIMED_OUT -> Applied.STALE;
        };
    }

    private Applied redrive(@Nullable StoredTask task, int attempt, Instant now) {
        if (task == null) {
            return Applied.NOT_FOUND;
        }
        if (task.redriven().contains(attempt)) {
            return Applied.APPLIED;
        }
        if (!task.state().isDead() || task.attempt() != attempt) {
            return Applied.STALE;
        }
        NewTask.KeyRequest request = task.key();
        if (request != null) {
            StoredKey key = tables.key(request.identity());
            if (!canTake(task, key, request.identity(), now)) {
                return Applied.SUPERSEDED;
            }
            Instant expiresAt = key != null && key.taskId().equals(task.id())
                    ? key.expiresAt()
                    : InMemoryTaskStore.toMillis(task.task().createdAt().plus(request.ttl()));
            // The runs after it may be stored under the key's former series.
            StoredKey own = key != null && key.taskId().equals(task.id())
                    ? key
                    : StoredKey.of(task.task(), Series.begunByRedrive(task.id(), attempt), request, expiresAt);
            tables.save(own.windowPassed(now) ? own.renewed(InMemoryTaskStore.toMillis(now.plus(request.ttl()))) : own);
            if (key != null) {
                effects.forgetUnlessContinued(key.lineage());
            }
        }
        tables.save(task.redriven(now));
        return Applied.APPLIED;
    }

    private boolean canTake(StoredTask task, @Nullable StoredKey key, Identity identity, Instant now) {
        // A task that was replaced and still runs has lost the key, but the two must not run at the same time.
        return tables.openOf(identity).isEmpty()
                && (key == null || key.taskId().equals(task.id()) || key.windowPassed(now));
    }

    private Applied release(Transition.ReleaseKey move) {
        StoredKey key = tables.key(move.identity());
        if (key == null) {
            StoredTask task = tables.find(move.taskId());
            return task != null && move.identity().equals(task.identity()) ? Applied.APPLIED : Applied.NOT_FOUND;
        }
        if (!key.taskId().equals(move.taskId())) {
            return Applied.SUPERSEDED;
        }
        if (!tables.openOf(move.identity()).isEmpty()) {
            return Applied.HELD;
        }
        tables.remove(key);
        effects.forgetUnlessContinued(key.lineage());
        return Applied.APPLIED;
    }

    private Applied count(Transition.CountDuplicates move, Instant now) {
        StoredKey key = tables.key(move.identity());
        if (key == null) {
            return Applied.NOT_FOUND;
        }
        if (!key.taskId().equals(move.taskId())) {
            return Applied.SUPERSEDED;
        }
        tables.save(key.counting(move.count(), now));
        return Applied.APPLIED;
    }

    private Applied change(String queue, UnaryOperator<QueueSetUp> change, Instant now) {
        MemoryQueue kept = tables.queue(queue);
        QueueSetUp next = change.apply(kept == null ? QueueSetUp.NONE : kept.setUp);
        String deadLetters = next.effective().deadLettersTo();
        if (deadLetters != null
                && DeadLetter.isCircle(
                        queue, deadLetters, at -> tables.settings(at).deadLettersTo())) {
            return Applied.CIRCLE;
        }
        tables.change(queue, changed -> {
            changed.setUp = next;
            changed.setBackMark(now);
        });
        return Applied.APPLIED;
    }
}
