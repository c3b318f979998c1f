package dev.semel.store;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What pauses, limits and mutexes leave to one claim of {@link InMemoryTaskStore}. */
final class Allowances {

    private final MemoryTables tables;
    private final ClaimAllowances left;
    private final List<StoredTask> blocked = new ArrayList<>();

    Allowances(MemoryTables tables, ClaimRequest request, Instant now) {
        this.tables = tables;
        this.left = new ClaimAllowances(request, now);
        for (String name : request.queues()) {
            MemoryQueue queue = tables.queue(name);
            QueueSettings settings = tables.settings(name);
            if (settings.isPaused()) {
                left.pause(name);
            } else if (queue != null && settings.isLimited()) {
                left.limit(name, settings, queue.mark, running(name, now));
            }
        }
    }

    private ClaimAllowances.Running running(String queue, Instant now) {
        List<Instant> ends = tables.runningOf(queue).stream()
                .map(StoredTask::dueAt)
                .filter(end -> end.isAfter(now))
                .sorted()
                .toList();
        return new ClaimAllowances.Running(ends.size(), ends.isEmpty() ? null : ends.getFirst());
    }

    /** Returns whether a queue gives one more task. */
    boolean isOpen(String name) {
        return left.isOpen(name);
    }

    /** Returns whether a queue has a rate limit and gives one more woken workflow. */
    boolean isOpenToWoken(String name) {
        return left.isOpenToWoken(name);
    }

    /** Returns whether another task holds the mutex of this one; if so, this one is recorded as waiting for it. */
    boolean isBlocked(StoredTask task) {
        Mutex mutex = Mutex.of(task.task());
        boolean held = mutex != null
                && tables.runningOf(mutex).stream()
                        .anyMatch(running -> !running.id().equals(task.id()));
        boolean waits = left.isBlocked(mutex, held);
        if (waits) {
            blocked.add(task);
        }
        return waits;
    }

    /** Counts a task that the claim takes. */
    void take(StoredTask task) {
        left.take(task.task().queue());
        left.begin(Mutex.of(task.task()));
    }

    /** Counts a woken workflow that the claim takes. */
    void takeWoken(StoredTask task) {
        left.takeWoken(task.task().queue());
        left.begin(Mutex.of(task.task()));
    }

    /** Stores what the claim used up, and the tasks that have to wait. */
    void settle() {
        left.marks().forEach((name, mark) -> {
            MemoryQueue queue = tables.queue(name);
            if (queue != null) {
                queue.mark = mark;
            }
        });
        blocked.forEach(task -> tables.save(task.blockedByMutex()));
    }

    /** Returns from when on a queue gives its next task, which is due at a time; null if it gives none. */
    @Nullable
    Instant next(String name, Instant dueAt) {
        return left.next(name, dueAt);
    }

    /** Returns from when on a queue gives its next woken workflow, which is due at a time; null if it gives none. */
    @Nullable
    Instant nextWoken(String name, Instant dueAt) {
        return left.nextWoken(name, dueAt);
    }

    /** The tasks of one tenant and type that never run at the same time. */
    record Mutex(String tenant, String type, String name) {

        static @Nullable Mutex of(Task task) {
            String name = task.options().mutex();
            return name == null ? null : new Mutex(task.tenant(), task.type(), name);
        }
    }

    /** The stored settings and rate limit of a queue. */
    static final class MemoryQueue {
        QueueSetUp setUp = QueueSetUp.NONE;
        long mark;
    }
}
