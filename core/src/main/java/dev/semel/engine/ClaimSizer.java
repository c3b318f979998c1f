package dev.semel.engine;

import dev.semel.store.ClaimRequest;
import dev.semel.task.Limits;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rules for how much a worker claims: tasks for its free slots and for those that are about to become free, within
 * the bytes that it may hold. Used by steps of the host only.
 */
final class ClaimSizer {

    // A worker holds as many tasks ahead as it recently ran within this time and the time of a claim. Slow tasks are
    // left to other workers.
    private static final long AHEAD_NANOS = Duration.ofMillis(50).toNanos();

    // It holds no more than it can start within about this time, however slow the store is.
    private static final long MOST_AHEAD_NANOS = Duration.ofMillis(900).toNanos();

    private final WorkerHost host;
    private final WorkerSettings settings;
    private final @Nullable Set<String> types;
    private final SuspectRamp suspects;

    private long windowStart;
    private int endedInWindow;
    private int ahead;
    private long usualRunNanos;
    private long usualClaimNanos;

    // Divides the size of a claim: doubled when a claim runs out of memory, halved when a claim is answered.
    private int divisor = 1;

    ClaimSizer(WorkerHost host, WorkerSettings settings, @Nullable Set<String> types, SuspectRamp suspects) {
        this.host = host;
        this.settings = settings;
        this.types = types;
        this.suspects = suspects;
    }

    /** Begins to measure how fast handlers end. */
    void start() {
        windowStart = host.nanoTime();
    }

    /** Records the end of a handler. */
    void ended(long ranNanos) {
        endedInWindow++;
        usualRunNanos = usualRunNanos == 0
                ? Math.max(1, ranNanos)
                : Math.max(1, usualRunNanos + (ranNanos - usualRunNanos) / 8);
    }

    /** Claims become smaller, because the answer to one did not fit into memory. */
    void ranOutOfMemory() {
        divisor = Math.min(divisor * 2, ClaimRequest.MAX_LIMIT);
    }

    /**
     * Claims become larger again, because one was answered.
     *
     * @param tookNanos how long it took: a worker on a slow store holds more, or its slots are empty while it claims
     */
    void answered(long tookNanos) {
        divisor = Math.max(divisor / 2, 1);
        usualClaimNanos += (tookNanos - usualClaimNanos) / 4;
    }

    /**
     * Returns how many more tasks the worker can hold, or zero if a claim is not worth its commit yet.
     *
     * @param running how many handlers run
     * @param ready how many claimed tasks wait for a slot
     */
    int room(int running, int ready) {
        int free = settings.concurrency() - running;
        int held = ahead();
        int room = free + held - ready;
        // A claim for every single free slot would be a commit for every task: wait until half of the room is free,
        // unless a slot would stay empty meanwhile.
        boolean worthwhile = ready == 0 ? free > 0 : room > (settings.concurrency() + held) / 2;
        return worthwhile ? Math.max(room, 0) : 0;
    }

    /**
     * Returns the next claim, or null if the worker holds too many bytes for another task.
     *
     * @param room how many more tasks the worker can hold, at least one
     * @param startable how many of these can start at once; negative if more tasks wait than there are free slots
     * @param heldBytes the size of the tasks that the worker holds
     */
    @Nullable
    ClaimRequest next(int room, int startable, long heldBytes) {
        long bytes = settings.heldBytes() - heldBytes;
        if (heldBytes > 0 && bytes < Limits.DOCUMENT_BYTES) {
            return null; // the next task may be as large as that; a task that ends makes room
        }
        int limit = Math.max(Math.min(room, ClaimRequest.MAX_LIMIT) / divisor, 1);
        // From queues with limits only what can start at once, but at least one: otherwise queues without limits would
        // starve them.
        int limited = Math.clamp(startable, 1, limit);
        return new ClaimRequest(
                host.random().nextLong(),
                false,
                settings.queues(),
                types,
                limit,
                limited,
                Math.min(limit, suspects.room()),
                bytes / divisor,
                settings.lease(),
                settings.name());
    }

    private int ahead() {
        long now = host.nanoTime();
        long elapsed = now - windowStart;
        long window = Math.min(MOST_AHEAD_NANOS, AHEAD_NANOS + usualClaimNanos);
        if (elapsed >= window) {
            ahead = (int) Math.min(settings.prefetch(), endedInWindow * window / elapsed);
            windowStart = now;
            endedInWindow = 0;
        }
        // Many slow handlers that end together look fast, but their slots will not become free again as fast.
        long startedInTime =
                usualRunNanos == 0 ? settings.prefetch() : Math.max(1, settings.concurrency() * window / usualRunNanos);
        return (int) Math.min(startedInTime, Math.min(settings.prefetch(), Math.max(ahead, endedInWindow)));
    }
}
