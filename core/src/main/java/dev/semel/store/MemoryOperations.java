package dev.semel.store;

import dev.semel.store.Allowances.MemoryQueue;
import dev.semel.task.TaskId;
import java.time.Instant;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Operations, for {@link InMemoryTaskStore}. */
final class MemoryOperations {

    private final MemoryTables tables;
    private final MemoryDeadLetters deadLetters;
    private final MemoryEffects effects;
    private final MemorySchedules schedules;
    private final MemorySweeps sweeps;

    MemoryOperations(
            MemoryTables tables,
            MemoryDeadLetters deadLetters,
            MemoryEffects effects,
            MemorySchedules schedules,
            MemorySweeps sweeps) {
        this.tables = tables;
        this.deadLetters = deadLetters;
        this.effects = effects;
        this.schedules = schedules;
        this.sweeps = sweeps;
    }

    Operated operate(Operation operation, Instant now) {
        return switch (operation) {
            case Operation.Cancel(TaskId id) -> cancel(id, now);
            case Operation.Redrive redrive -> redrive(tables.find(redrive.taskId()), redrive.attempt(), now);
            case Operation.Restart restart -> restart(restart, now);
            case Operation.ReleaseKey release -> release(release);
            case Operation.Erase(TaskId id) -> sweeps.erase(id);
            case Operation.Resolve resolve -> resolve(resolve, now);
            case Operation.ChangeSchedule change -> schedules.change(change, now);
            case Operation.DeclareQueue declare ->
                change(declare.queue(), before -> new QueueSetUp(declare.settings(), before.set()), now);
            case Operation.SetQueue set ->
                change(
                        set.queue(),
                        before ->
                                new QueueSetUp(before.declared(), set.changes().or(before.set())),
                        now);
            case Operation.ResetQueue reset ->
                change(reset.queue(), before -> new QueueSetUp(before.declared(), QueueSettings.NONE), now);
        };
    }

    private Operated cancel(TaskId id, Instant now) {
        StoredTask task = tables.find(id);
        return task == null ? Operated.NOT_FOUND : tables.cancel(task, now);
    }

    private Operated redrive(@Nullable StoredTask task, int attempt, Instant now) {
        if (task == null) {
            return Operated.NOT_FOUND;
        }
        RedriveDecision decision = RedriveDecision.decide(letter(task), attempt, key(task), now);
        if (decision instanceof RedriveDecision.NotDead notDead) {
            return notDead.answer(task.redriven().contains(attempt));
        }
        Operated answer = takeKey(task, decision);
        if (answer == Operated.APPLIED) {
            tables.save(task.redriven(now));
        }
        return answer;
    }

    private Operated restart(Operation.Restart restart, Instant now) {
        StoredTask task = tables.find(restart.taskId());
        if (task == null || task.task().dataGone() || !tables.flows().isWorkflow(task.task())) {
            return Operated.NOT_FOUND;
        }
        switch (tables.flows().decide(restart)) {
            case DONE_BEFORE -> {
                return Operated.APPLIED;
            }
            case STALE, FULL -> {
                return Operated.STALE;
            }
            case ADD -> {}
        }
        if (!StoredFlow.mayRestart(task.state(), task.attempt() > 0, task.listening())) {
            return Operated.HELD;
        }
        Operated answer = takeKey(task, RedriveDecision.decide(letter(task), key(task), now));
        if (answer == Operated.APPLIED) {
            tables.flows().restart(restart, now);
            tables.save(task.restarted(now));
        }
        return answer;
    }

    private static RedriveDecision.Letter letter(StoredTask task) {
        return new RedriveDecision.Letter(
                task.id(), task.state(), task.attempt(), task.task().createdAt());
    }

    private RedriveDecision.@Nullable Key key(StoredTask task) {
        NewTask.KeyRequest request = task.key();
        if (request == null) {
            return null;
        }
        StoredKey held = tables.key(request.identity());
        return new RedriveDecision.Key(
                request.ttl(),
                held == null ? null : tables.holder(held),
                !tables.openOf(request.identity()).isEmpty());
    }

    /** Does to the key of a task what was decided; applied unless another task has it. */
    private Operated takeKey(StoredTask task, RedriveDecision decision) {
        NewTask.KeyRequest request = task.key();
        StoredKey held = request == null ? null : tables.key(request.identity());
        switch (decision) {
            case RedriveDecision.Superseded superseded -> {
                return Operated.SUPERSEDED;
            }
            case RedriveDecision.NotDead notDead -> throw new IllegalStateException("Decided before: " + notDead);
            case RedriveDecision.Run run -> {}
            case RedriveDecision.RunRenewing(Instant expiresAt) ->
                tables.save(Objects.requireNonNull(held).renewed(expiresAt));
            case RedriveDecision.RunTaking(TaskId series, Instant expiresAt) -> {
                tables.save(StoredKey.of(task.task(), series, Objects.requireNonNull(request), expiresAt));
                if (held != null) {
                    effects.forgetUnlessContinued(held.lineage());
                }
            }
        }
        return Operated.APPLIED;
    }

    private Operated release(Operation.ReleaseKey operation) {
        StoredKey key = tables.key(operation.identity());
        if (key == null) {
            StoredTask task = tables.find(operation.taskId());
            return KeyHolder.releaseFree(task != null && operation.identity().equals(task.identity()));
        }
        boolean open = !tables.openOf(operation.identity()).isEmpty();
        Operated answer = tables.holder(key).release(operation.taskId(), open);
        if (answer == Operated.APPLIED) {
            tables.remove(key);
            effects.forgetUnlessContinued(key.lineage());
        }
        return answer;
    }

    private Operated resolve(Operation.Resolve operation, Instant now) {
        StoredEffect.Change<Operated> change = effects.resolve(operation, now);
        StoredEffect effect = change.next();
        StoredTask task = effect == null ? null : tables.find(effect.by().taskId());
        if (effect != null && task != null && tables.flows().isAnswered(task)) {
            tables.flows().resolved(task.id(), operation, now);
        }
        if (effect != null
                && task != null
                && task.parked()
                && task.attempt() == effect.by().attempt()) {
            if (operation.resolution().verdict() == Resolution.Verdict.GIVE_UP) {
                StoredTask dead = task.givenUp(now, operation.givenUp());
                deadLetters.forward(dead.task(), tables.save(dead), now);
            } else {
                tables.save(task.pending(now));
            }
        }
        return change.answer();
    }

    private Operated change(String queue, UnaryOperator<QueueSetUp> change, Instant now) {
        MemoryQueue kept = tables.queue(queue);
        QueueSetUp next = change.apply(kept == null ? QueueSetUp.NONE : kept.setUp);
        String deadLetters = next.effective().deadLettersTo();
        if (deadLetters != null
                && DeadLetter.isCircle(
                        queue, deadLetters, at -> tables.settings(at).deadLettersTo())) {
            return Operated.CIRCLE;
        }
        tables.change(queue, changed -> {
            changed.setUp = next;
            changed.mark = ClaimAllowances.markUnder(next.effective(), changed.mark, now);
        });
        return Operated.APPLIED;
    }
}
