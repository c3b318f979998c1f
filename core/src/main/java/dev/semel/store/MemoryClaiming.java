package dev.semel.store;

import dev.semel.store.Claims.Claimed;
import dev.semel.task.Lease;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The laws of claiming, C1 to C10, for {@link InMemoryTaskStore}. */
final class MemoryClaiming {

    private final MemoryTables tables;

    MemoryClaiming(MemoryTables tables) {
        this.tables = tables;
    }

    Claims claim(ClaimRequest request, Instant now) {
        for (StoredTask task : tables.vanishedAskedToCancel(now)) {
            if (matches(task.task(), request.queues(), request.types())) {
                endVanished(task, now);
            }
        }
        Allowances allowances = new Allowances(tables, request, now);
        List<StoredTask> taken = request.repeated() ? tables.runningOf(request.claim()) : List.of();
        if (taken.isEmpty()) {
            taken = new ArrayList<>();
            for (StoredTask task : tables.due().choose(request, now, allowances)) {
                taken.add(begin(task, request, now));
            }
            allowances.settle();
        }
        List<Claimed> claimed = new ArrayList<>();
        for (StoredTask task : taken) {
            claimed.add(new Claimed(task.task(), new Lease(task.id(), task.attempt())));
        }
        return new Claims(claimed, nextDue(request, allowances, now));
    }

    private @Nullable Duration nextDue(ClaimRequest request, Allowances allowances, Instant now) {
        Instant next = null;
        for (String queue : request.queues()) {
            Instant dueAt = tables.due().nextDue(queue, request.types());
            Instant given = dueAt == null ? null : allowances.next(queue, dueAt);
            next = given != null && (next == null || given.isBefore(next)) ? given : next;
        }
        return next == null ? null : next.isBefore(now) ? Duration.ZERO : Duration.between(now, next);
    }

    /** Ends a task that was asked to cancel and whose worker gave no word until its lease ran out. */
    void endVanished(StoredTask task, Instant now) {
        tables.saveEnded(vanish(task, now).ended(TaskState.CANCELLED, now, null));
    }

    private StoredTask begin(StoredTask task, ClaimRequest request, Instant now) {
        StoredTask due = task.state() == TaskState.RUNNING ? vanish(task, now) : task;
        StoredTask begun = due.begun(request.claim(), InMemoryTaskStore.toMillis(now.plus(request.lease())));
        tables.save(begun);
        tables.beginAttempt(begun.id(), begun.attempt(), request.worker(), now);
        return begun;
    }

    private StoredTask vanish(StoredTask task, Instant now) {
        tables.endAttempt(task.id(), task.attempt(), Attempt.Outcome.VANISHED, null, now);
        return task.vanishedOnce();
    }

    private static boolean matches(Task task, Set<String> queues, @Nullable Set<String> types) {
        return queues.contains(task.queue()) && (types == null || types.contains(task.type()));
    }
}
