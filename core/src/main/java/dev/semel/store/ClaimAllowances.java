package dev.semel.store;

import dev.semel.task.RateLimit;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What pauses, rate limits, concurrencies and mutexes leave to one claim. A store passes in what it has read inside its
 * atomic section, asks before each task that it takes, and writes the {@link #marks} in the same section. A queue that the store
 * does not mention has no limits.
 */
public final class ClaimAllowances {

    /**
     * The tasks of a queue that run when a claim begins.
     *
     * @param tasks how many of them have a lease that has not expired
     * @param firstEnd when the first of these leases ends, or null if there is none
     */
    public record Running(long tasks, @Nullable Instant firstEnd) {

        /** None, or a queue without a concurrency, whose running tasks need not be counted. */
        public static final Running NONE = new Running(0, null);
    }

    /** One queue with limits. */
    private static final class Allowance {

        private final @Nullable RateLimit rate;
        private final long mark;
        private final long allowed;
        private final long places;
        private final @Nullable Instant firstEnd;
        private int started;
        private int taken;

        Allowance(QueueSettings settings, long mark, Running running, long nanos) {
            this.rate = settings.startLimit();
            this.mark = mark;
            this.allowed = rate == null ? Long.MAX_VALUE : rate.allowed(mark, nanos);
            this.places = Math.max(0, settings.mostRunning() - running.tasks());
            this.firstEnd = running.firstEnd();
        }

        long left() {
            return Math.min(allowed - started, places - taken);
        }
    }

    private final Instant now;
    private final Instant leaseEnd;
    private final int mostLimited;
    private final Set<String> paused = new HashSet<>();
    private final Map<String, Allowance> limited = new HashMap<>();
    private final Set<Object> begun = new HashSet<>();
    private int takenLimited;

    /**
     * Begins a claim.
     *
     * @param request what it asks for
     * @param now the store's time
     */
    public ClaimAllowances(ClaimRequest request, Instant now) {
        this.now = now;
        this.leaseEnd = now.plus(request.lease()).truncatedTo(ChronoUnit.MILLIS);
        this.mostLimited = request.limited();
    }

    /**
     * Marks a queue as paused.
     *
     * @param queue the queue
     */
    public void pause(String queue) {
        paused.add(queue);
    }

    /**
     * Sets how far the limits of a queue are used.
     *
     * @param queue the queue, which is not paused
     * @param settings its settings
     * @param mark the stored mark of its rate limit; ignored without one
     * @param running its running tasks; ignored without a concurrency
     */
    public void limit(String queue, QueueSettings settings, long mark, Running running) {
        limited.put(queue, new Allowance(settings, mark, running, nanos(now)));
    }

    /**
     * Returns whether no queue has limits.
     *
     * @return true if nothing is counted
     */
    public boolean areUnlimited() {
        return limited.isEmpty();
    }

    /**
     * Returns whether a queue has limits and is not paused, so that it will give more tasks later.
     *
     * @param queue the queue
     * @return whether it is limited
     */
    public boolean isLimited(String queue) {
        return limited.containsKey(queue);
    }

    /**
     * Returns whether a queue gives one more task to this claim.
     *
     * @param queue the queue
     * @return true if it does
     */
    public boolean isOpen(String queue) {
        Allowance allowance = limited.get(queue);
        return allowance == null ? !paused.contains(queue) : allowance.left() > 0 && takenLimited < mostLimited;
    }

    /**
     * Returns how many more tasks a queue gives at most.
     *
     * @param queue the queue
     * @return the number; of a queue without limits as many as there are
     */
    public long left(String queue) {
        Allowance allowance = limited.get(queue);
        return allowance == null ? Long.MAX_VALUE : allowance.left();
    }

    /**
     * Returns whether a queue has a rate limit and gives one more woken workflow to this claim. A workflow that continues after a
     * wait uses nothing of a rate limit, so a claim takes those first; where nothing limits starts, they are tasks like all others.
     *
     * @param queue the queue
     * @return true if it does
     */
    public boolean isOpenToWoken(String queue) {
        Allowance allowance = limited.get(queue);
        return allowance != null
                && allowance.rate != null
                && allowance.taken < allowance.places
                && takenLimited < mostLimited;
    }

    /**
     * Counts a task that the claim takes.
     *
     * @param queue its queue
     */
    public void take(String queue) {
        count(queue, 1, 1);
    }

    /**
     * Counts a woken workflow that the claim takes: it has a slot, but does not start.
     *
     * @param queue its queue
     */
    public void takeWoken(String queue) {
        count(queue, 0, 1);
    }

    /**
     * Reverses {@link #take}, for a task that the claim had taken and leaves in the queue after all.
     *
     * @param queue its queue
     */
    public void leave(String queue) {
        count(queue, -1, -1);
    }

    /**
     * Reverses {@link #takeWoken}.
     *
     * @param queue its queue
     */
    public void leaveWoken(String queue) {
        count(queue, 0, -1);
    }

    private void count(String queue, int starts, int tasks) {
        Allowance allowance = limited.get(queue);
        if (allowance != null) {
            allowance.started += starts;
            allowance.taken += tasks;
            takenLimited += tasks;
        }
    }

    /**
     * Returns whether a task has to wait for its mutex.
     *
     * @param mutex the mutex of its tenant and type, as the store names it; null if the task has none
     * @param heldByAnother whether another task runs with this mutex, even if its lease has expired
     * @return true if that task, or one that this claim takes, keeps it from running
     */
    public boolean isBlocked(@Nullable Object mutex, boolean heldByAnother) {
        return mutex != null && (heldByAnother || begun.contains(mutex));
    }

    /**
     * Records the mutex of a task that the claim takes.
     *
     * @param mutex the mutex, or null if the task has none
     */
    public void begin(@Nullable Object mutex) {
        if (mutex != null) {
            begun.add(mutex);
        }
    }

    /**
     * Returns the marks that the store has to write, because tasks have started or a mark was too far ahead.
     *
     * @return from the name of a queue to its mark
     */
    public Map<String, Long> marks() {
        Map<String, Long> marks = new HashMap<>();
        limited.forEach((queue, allowance) -> {
            RateLimit rate = allowance.rate;
            if (rate != null && (allowance.started > 0 || rate.isTooFarAhead(allowance.mark, nanos(now)))) {
                marks.put(queue, rate.markAfter(allowance.mark, nanos(now), allowance.started));
            }
        });
        return marks;
    }

    /**
     * Returns the mark that a queue keeps when its settings change: a mark is set back
     * if a slower limit, or a clock that was ahead, moved it further ahead than the new limit could.
     *
     * @param settings the settings from now on
     * @param mark the stored mark
     * @param now the store's time
     * @return the mark to store
     */
    public static long markUnder(QueueSettings settings, long mark, Instant now) {
        RateLimit rate = settings.startLimit();
        return rate != null && rate.isTooFarAhead(mark, nanos(now)) ? rate.markAfter(mark, nanos(now), 0) : mark;
    }

    /**
     * Returns whether something other than due times decides when a queue gives its next task.
     *
     * @param queue the queue
     * @return whether it is paused, or its limits are used up
     */
    public boolean holdsBack(String queue) {
        Allowance allowance = limited.get(queue);
        return allowance == null ? paused.contains(queue) : allowance.left() <= 0;
    }

    /**
     * Returns from when on a queue gives its next task.
     *
     * @param queue the queue
     * @param dueAt when its next task is due
     * @return the time, or null if the queue is paused
     */
    public @Nullable Instant next(String queue, Instant dueAt) {
        Allowance allowance = limited.get(queue);
        if (allowance == null) {
            return paused.contains(queue) ? null : dueAt;
        }
        Instant next = nextPlace(allowance, dueAt);
        RateLimit rate = allowance.rate;
        if (rate != null && allowance.started >= allowance.allowed) {
            long mark = rate.markAfter(allowance.mark, nanos(now), allowance.started);
            // Rounded up to a millisecond: zero would mean that due tasks were left out.
            long wait = Math.max(1, rate.waitAfter(mark, nanos(now)).toMillis());
            next = later(next, now.plusMillis(wait));
        }
        return next;
    }

    /**
     * Returns from when on a queue gives its next woken workflow, which does not wait for the rate limit.
     *
     * @param queue the queue
     * @param dueAt when its next woken workflow is due
     * @return the time, or null if the queue is paused
     */
    public @Nullable Instant nextWoken(String queue, Instant dueAt) {
        Allowance allowance = limited.get(queue);
        if (allowance == null) {
            return paused.contains(queue) ? null : dueAt;
        }
        return nextPlace(allowance, dueAt);
    }

    private Instant nextPlace(Allowance allowance, Instant dueAt) {
        if (allowance.taken < allowance.places) {
            return dueAt;
        }
        // The first lease that ends, those of tasks just taken included.
        Instant end = allowance.firstEnd;
        if (end == null || (allowance.taken > 0 && leaseEnd.isBefore(end))) {
            end = leaseEnd;
        }
        return later(dueAt, end);
    }

    /**
     * Returns whether a queue holds tasks back and has a rate limit, so that a woken workflow may be due before its next task.
     *
     * @param queue the queue
     * @return whether {@link #nextWoken} may be earlier than {@link #next}
     */
    public boolean holdsBackStarts(String queue) {
        Allowance allowance = limited.get(queue);
        return allowance != null && allowance.rate != null && allowance.started >= allowance.allowed;
    }

    private static Instant later(Instant a, Instant b) {
        return a.isBefore(b) ? b : a;
    }

    private static long nanos(Instant time) {
        return time.toEpochMilli() * 1_000_000;
    }
}
