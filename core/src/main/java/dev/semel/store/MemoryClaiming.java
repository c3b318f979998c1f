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

/** The laws of claiming, C1 to C9, for {@link InMemoryTaskStore}. */
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
        List<StoredTask> taken = request.repeated() ? tables.runningOf(request.claim()) : List.of();
        if (taken.isEmpty()) {
            taken = new ArrayList<>();
            for (StoredTask task : tables.due().choose(request, now)) {
                taken.add(begin(task, request, now));
            }
        }
        List<Claimed> claimed = new ArrayList<>();
        for (StoredTask task : taken) {
            claimed.add(new Claimed(task.task(), new Lease(task.id(), task.attempt())));
        }
        Instant next = tables.due().nextDue(request.queues(), request.types());
        Duration nextDue = next == null ? null : next.isBefore(now) ? Duration.ZERO : Duration.between(now, next);
        return new Claims(claimed, nextDue);
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
