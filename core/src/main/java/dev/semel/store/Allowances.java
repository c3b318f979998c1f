package dev.semel.store;

import dev.semel.task.RateLimit;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What pauses, limits and mutexes leave to one claim of {@link InMemoryTaskStore}. */
final class Allowances {

    /** One queue with limits. */
    private final class Allowance {

        private final MemoryQueue queue;
        private final @Nullable RateLimit rate;
        private final int allowed;
        private final int places;
        private int taken;

        Allowance(String name, MemoryQueue queue) {
            QueueSettings settings = queue.setUp.effective();
            this.queue = queue;
            this.rate = settings.startLimit();
            this.allowed = rate == null ? Integer.MAX_VALUE : rate.allowed(queue.mark, nanos());
            long running = tables.runningOf(name).stream()
                    .filter(task -> !task.isDue(now))
                    .count();
            this.places = (int) Math.max(0, settings.mostRunning() - running);
        }

        boolean isUsedUp() {
            return taken >= Math.min(allowed, places);
        }

        void settle() {
            queue.setBackMark(now);
            if (rate != null && taken > 0) {
                queue.mark = rate.markAfter(queue.mark, nanos(), taken);
            }
        }
    }

    private final MemoryTables tables;
    private final Instant now;
    private final int mostLimited;
    private final Map<String, Allowance> limited = new HashMap<>();
    private final Set<Mutex> begun = new HashSet<>();
    private final List<StoredTask> blocked = new ArrayList<>();
    private int takenLimited;

    Allowances(MemoryTables tables, ClaimRequest request, Instant now) {
        this.tables = tables;
        this.now = now;
        this.mostLimited = request.limited();
        for (String name : request.queues()) {
            MemoryQueue queue = tables.queue(name);
            if (queue != null && queue.setUp.effective().isLimited()) {
                limited.put(name, new Allowance(name, queue));
            }
        }
    }

    /** Whether a queue gives anything more. */
    boolean isOpen(String name) {
        MemoryQueue queue = tables.queue(name);
        if (queue == null) {
            return true;
        }
        Allowance allowance = limited.get(name);
        return !queue.setUp.effective().isPaused()
                && (allowance == null || (!allowance.isUsedUp() && takenLimited < mostLimited));
    }

    /** Whether another task holds the mutex of this one; then it is noted as one that has to wait. */
    boolean isBlocked(StoredTask task) {
        Mutex mutex = Mutex.of(task.task());
        if (mutex == null) {
            return false;
        }
        boolean held = begun.contains(mutex)
                || tables.runningOf(mutex).stream()
                        .anyMatch(running -> !running.id().equals(task.id()));
        if (held) {
            blocked.add(task);
        }
        return held;
    }

    /** Counts a task that the claim takes. */
    void take(StoredTask task) {
        Allowance allowance = limited.get(task.task().queue());
        if (allowance != null) {
            allowance.taken++;
            takenLimited++;
        }
        Mutex mutex = Mutex.of(task.task());
        if (mutex != null) {
            begun.add(mutex);
        }
    }

    /** Writes down what was used up, and who has to wait. */
    void settle() {
        limited.values().forEach(Allowance::settle);
        blocked.forEach(task -> tables.save(task.blockedByMutex()));
    }

    /** From when on a queue gives the next task, if that is due at a time; null if it gives none. */
    @Nullable
    Instant next(String name, Instant dueAt) {
        MemoryQueue queue = tables.queue(name);
        if (queue != null && queue.setUp.effective().isPaused()) {
            return null;
        }
        Allowance allowance = limited.get(name);
        Instant next = dueAt;
        if (allowance != null && allowance.taken >= allowance.places) {
            next = later(next, placeFree(name));
        }
        if (allowance != null && allowance.rate != null && allowance.taken >= allowance.allowed) {
            Duration wait = allowance.rate.waitAfter(allowance.queue.mark, nanos());
            next = later(next, now.plus(wait));
        }
        return next;
    }

    private Instant placeFree(String queue) {
        return tables.runningOf(queue).stream()
                .map(StoredTask::dueAt)
                .filter(end -> end.isAfter(now))
                .min(Instant::compareTo)
                .orElse(now);
    }

    private static Instant later(Instant a, Instant b) {
        return a.isBefore(b) ? b : a;
    }

    private long nanos() {
        return nanos(now);
    }

    private static long nanos(Instant time) {
        return time.toEpochMilli() * 1_000_000;
    }

    /** The tasks of one tenant and type that never run at the same time. */
    record Mutex(String tenant, String type, String name) {

        static @Nullable Mutex of(Task task) {
            String name = task.options().mutex();
            return name == null ? null : new Mutex(task.tenant(), task.type(), name);
        }
    }

    /** What is kept of a queue. */
    static final class MemoryQueue {
        QueueSetUp setUp = QueueSetUp.NONE;
        long mark;

        /** Sets back a mark that a slower limit, or a clock that was ahead, has put further than this limit ever does. */
        void setBackMark(Instant now) {
            RateLimit rate = setUp.effective().startLimit();
            if (rate != null && rate.isTooFarAhead(mark, nanos(now))) {
                mark = rate.markAfter(mark, nanos(now), 0);
            }
        }
    }

    /** Whether the end of this state lets another task of the mutex go. */
    static boolean letsGo(TaskState before, TaskState after) {
        return before == TaskState.RUNNING
                ? after != TaskState.RUNNING
                : before == TaskState.PENDING && !after.isOpen();
    }
}
