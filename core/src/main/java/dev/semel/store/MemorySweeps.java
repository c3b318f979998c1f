package dev.semel.store;

import dev.semel.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The laws of sweeping, W1 to W5, for {@link InMemoryTaskStore}. */
final class MemorySweeps {

    private final MemoryTables tables;
    private final MemoryClaims claiming;
    private final MemoryEffects effects;

    MemorySweeps(MemoryTables tables, MemoryClaims claiming, MemoryEffects effects) {
        this.tables = tables;
        this.claiming = claiming;
        this.effects = effects;
    }

    Swept sweep(SweepRequest request, Instant now) {
        tables.overdue(now).forEach(task -> claiming.pass(task, now));
        // Otherwise a queue without workers would keep a replaced task, and the task that waits for it, for ever.
        tables.vanishedAskedToCancel(now).forEach(task -> claiming.endVanished(task, now));
        if (request.removesNothing()) {
            return Swept.NOTHING;
        }

        List<StoredTask> tasks = new ArrayList<>();
        for (StoredTask task : tables.ended()) {
            Duration kept = retention(task.task(), request);
            if (!now.isBefore(task.finishedAt().plus(kept))) {
                tasks.add(task);
            }
        }
        tasks.stream().limit(request.limit()).forEach(this::forget);

        List<StoredKey> keys = new ArrayList<>();
        for (StoredKey key : tables.keys()) {
            if (key.windowPassed(now) && tables.openOf(key.identity()).isEmpty()) {
                keys.add(key);
            }
        }
        keys.stream().limit(request.limit()).forEach(key -> {
            tables.remove(key);
            effects.forgetUnlessContinued(key.lineage());
        });

        return new Swept(
                Math.min(tasks.size(), request.limit()),
                Math.min(keys.size(), request.limit()),
                tasks.size() > request.limit() || keys.size() > request.limit());
    }

    Operated erase(TaskId id) {
        StoredTask task = tables.find(id);
        if (task == null) {
            return Operated.NOT_FOUND;
        }
        if (task.state().isOpen()) {
            return Operated.HELD;
        }
        forget(task);
        effects.eraseUnlessStored(task.task().lineage());
        return Operated.APPLIED;
    }

    /** Deletes a task's data; a record that names the task remembers how it ended. */
    private void forget(StoredTask task) {
        tables.remove(task);
        StoredKey key = task.identity() == null ? null : tables.key(task.identity());
        if (key != null && key.taskId().equals(task.id())) {
            tables.save(key.remembering(task.state(), task.finishedAt()));
        }
        effects.forgetUnlessContinued(task.task().lineage());
    }

    private Duration retention(Task task, SweepRequest request) {
        return request.retentionOf(task.queue(), task.state(), tables.flows().isWorkflow(task));
    }
}
