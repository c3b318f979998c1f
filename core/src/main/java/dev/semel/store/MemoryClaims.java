package dev.semel.store;

import dev.semel.store.Claims.Claimed;
import dev.semel.task.Lease;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The laws of claiming, C1 to C10, for {@link InMemoryTaskStore}. */
final class MemoryClaims {

    private final MemoryTables tables;
    private final MemoryDeadLetters deadLetters;

    MemoryClaims(MemoryTables tables, MemoryDeadLetters deadLetters) {
        this.tables = tables;
        this.deadLetters = deadLetters;
    }

    Claims claim(ClaimRequest request, Instant now) {
        for (StoredTask task : tables.overdue(now)) {
            if (matches(task.task(), request)) {
                pass(task, now);
            }
        }
        for (StoredTask task : tables.vanishedAskedToCancel(now)) {
            if (matches(task.task(), request)) {
                endVanished(task, now);
            }
        }
        Allowances allowances = new Allowances(tables, request, now);
        List<Claimed> claimed = new ArrayList<>();
        for (StoredTask task : request.repeated() ? tables.runningOf(request.claim()) : List.<StoredTask>of()) {
            if (request.wants(task.task().tenant(), task.task().type())) {
                claimed.add(claimed(task, null));
            }
        }
        if (claimed.isEmpty()) {
            for (StoredTask task : tables.due().choose(request, now, allowances)) {
                claimed.add(claimed(begin(task, request, now), Duration.between(task.dueAt(), now)));
            }
            allowances.settle();
        }
        return new Claims(claimed, nextDue(request, allowances, now));
    }

    private static Claimed claimed(StoredTask task, @Nullable Duration waited) {
        return new Claimed(task.task(), new Lease(task.id(), task.attempt(), task.claim()), waited);
    }

    private @Nullable Duration nextDue(ClaimRequest request, Allowances allowances, Instant now) {
        Instant next = null;
        for (String queue : request.queues()) {
            Instant dueAt = tables.due().nextDue(queue, request);
            next = earlier(next, dueAt == null ? null : allowances.next(queue, dueAt));
            Instant wokenAt = tables.due().nextWoken(queue, request);
            next = earlier(next, wokenAt == null ? null : allowances.nextWoken(queue, wokenAt));
        }
        return next == null ? null : next.isBefore(now) ? Duration.ZERO : Duration.between(now, next);
    }

    private static @Nullable Instant earlier(@Nullable Instant a, @Nullable Instant b) {
        return a == null || (b != null && b.isBefore(a)) ? b : a;
    }

    /** Ends a task that was asked to cancel and whose lease expired without a report from its worker. */
    void endVanished(StoredTask task, Instant now) {
        StoredTask ended = vanish(task, now);
        deadLetters.forward(ended.task(), tables.save(ended), now);
    }

    /** Ends a task of which a time limit has passed, or asks it to cancel. */
    void pass(StoredTask overdue, Instant now) {
        // Another end may have changed it meanwhile.
        StoredTask task = tables.find(overdue.id());
        if (task == null) {
            return;
        }
        switch (TimeLimitDecision.decide(task.task(), now)) {
            case TimeLimitDecision.Expire(String error) -> {
                StoredTask ended = task.expired(now, error);
                deadLetters.forward(ended.task(), tables.save(ended), now);
            }
            case TimeLimitDecision.Stop(String error) -> tables.save(task.stopped(error));
            case TimeLimitDecision.Nothing nothing -> {}
            case TimeLimitDecision.Later later -> {}
        }
    }

    private StoredTask begin(StoredTask task, ClaimRequest request, Instant now) {
        StoredTask due = task.state() == TaskState.RUNNING ? vanish(task, now) : task;
        StoredTask begun = due.begun(request.claim(), InMemoryTaskStore.toMillis(now.plus(request.lease())));
        tables.save(begun);
        tables.beginAttempt(begun.id(), begun.attempt(), request.worker(), now);
        return begun;
    }

    private StoredTask vanish(StoredTask task, Instant now) {
        AttemptEnd end = AttemptEnd.vanished(task.cancelRequested(), now).ifOverdue(task.overdue());
        tables.endAttempt(task.id(), task.attempt(), end, now);
        return task.after(end, now);
    }

    private static boolean matches(Task task, ClaimRequest request) {
        return request.queues().contains(task.queue()) && request.wants(task.tenant(), task.type());
    }
}
