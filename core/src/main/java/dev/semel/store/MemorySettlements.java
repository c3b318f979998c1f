package dev.semel.store;

import dev.semel.task.Lease;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;

/** Settlements of workers, for {@link InMemoryTaskStore}. */
final class MemorySettlements {

    private final MemoryTables tables;
    private final MemoryDeadLetters deadLetters;
    private final MemoryEffects effects;
    private final MemorySubmissions submitting;

    MemorySettlements(
            MemoryTables tables, MemoryDeadLetters deadLetters, MemoryEffects effects, MemorySubmissions submitting) {
        this.tables = tables;
        this.submitting = submitting;
        this.deadLetters = deadLetters;
        this.effects = effects;
    }

    Settled settle(Settlement settlement, Instant now) {
        return switch (settlement) {
            case Settlement.Ending ending -> end(ending, now);
            case Settlement.Extend(Lease lease, Duration duration) -> extend(lease, duration, now);
            case Settlement.Intend intend -> effects.intend(intend, now);
            case Settlement.Refer refer -> effects.refer(refer);
            case Settlement.Conclude conclude -> effects.conclude(conclude, now);
            case Settlement.Advance advance -> tables.flows().advance(advance, submitting, now);
        };
    }

    private Settled end(Settlement.Ending settlement, Instant now) {
        Lease lease = settlement.lease();
        StoredTask task = tables.find(lease.taskId());
        if (task == null) {
            return Settled.NOT_FOUND;
        }
        Attempt attempt = tables.attempt(lease.taskId(), lease.attempt());
        if (attempt == null) {
            return tables.flows().waited(settlement) ? Settled.APPLIED : Settled.STALE;
        }
        if (attempt.outcome() != null) {
            // Ended before: by an earlier send of this settlement, or in another way, such as an expired lease.
            return attempt.outcome() == settlement.outcome() ? Settled.APPLIED : Settled.STALE;
        }
        boolean unresolved = (settlement instanceof Settlement.Park park && effects.park(park))
                || (settlement instanceof Settlement.Wait wait && tables.flows().await(wait));
        if (settlement instanceof Settlement.Continue next && !task.cancelRequested()) {
            tables.flows().continueAsNew(next, now);
        }
        AttemptEnd end = AttemptEnd.of(settlement, task.cancelRequested(), unresolved, now)
                .ifOverdue(task.overdue());
        StoredTask next = task.after(end, now);
        if (end.isKept()) {
            tables.endAttempt(task.id(), lease.attempt(), end, now);
        } else {
            tables.forgetAttempt(task.id(), lease.attempt());
        }
        Consequences then = tables.save(next);
        if (then.forgetsEffects()) {
            effects.forgetWith(task.task());
        }
        deadLetters.forward(next.task(), then, now);
        return Settled.APPLIED;
    }

    private Settled extend(Lease lease, Duration duration, Instant now) {
        StoredTask task = tables.find(lease.taskId());
        if (task == null) {
            return Settled.NOT_FOUND;
        }
        if (task.state() != TaskState.RUNNING || task.attempt() != lease.attempt()) {
            return Settled.STALE;
        }
        tables.save(task.extended(InMemoryTaskStore.toMillis(now.plus(duration))));
        return task.cancelRequested() ? Settled.CANCEL_REQUESTED : Settled.APPLIED;
    }
}
