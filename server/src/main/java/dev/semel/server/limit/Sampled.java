package dev.semel.server.limit;

import java.util.function.LongSupplier;

/**
 * A number that is read from the store now and then, and what was admitted since. What was admitted but not answered when a reading
 * began is counted in addition to the reading, because the reading may have missed it: the number may be too high until the next
 * reading, and never too low because of this server's own submissions.
 */
final class Sampled {

    private final LongSupplier nanoTime;
    private final long shortestPause;
    private boolean known;
    private long read;
    private long added;
    private long inFlight;
    private long due;

    Sampled(LongSupplier nanoTime, long shortestPause) {
        this.nanoTime = nanoTime;
        this.shortestPause = shortestPause;
        this.due = nanoTime.getAsLong();
    }

    synchronized boolean isDue() {
        return nanoTime.getAsLong() - due >= 0;
    }

    /** A reading that has begun. */
    record Reading(long beganAt, long inFlight, long addedBefore) {}

    /** Begins a reading, and puts off the next one until {@link #end} decides. */
    synchronized Reading begin() {
        long now = nanoTime.getAsLong();
        due = now + (1L << 60);
        return new Reading(now, inFlight, added);
    }

    /** Ends a reading. The store is read for at most a tenth of the time. */
    synchronized void end(Reading reading, long value) {
        long now = nanoTime.getAsLong();
        known = true;
        read = value;
        added = added - reading.addedBefore() + reading.inFlight();
        due = now + Math.max(shortestPause, 10 * (now - reading.beganAt()));
    }

    /** Ends a reading that failed. */
    synchronized void fail() {
        due = nanoTime.getAsLong() + shortestPause;
    }

    synchronized void add(long amount) {
        added += amount;
        inFlight += amount;
    }

    synchronized void answered(long amount) {
        inFlight -= amount;
    }

    synchronized long value() {
        return read + added;
    }

    synchronized boolean isKnown() {
        return known;
    }

    /** Returns in how many seconds a new reading may show more room. */
    synchronized long secondsToNext() {
        long nanos = Math.min(due - nanoTime.getAsLong(), 60_000_000_000L);
        return Math.max(1, Math.ceilDiv(nanos, 1_000_000_000L));
    }
}
