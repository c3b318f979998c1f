package dev.semel.s3.log;

import java.time.Instant;
import java.time.InstantSource;

/**
 * The time of the log: the service's clock, as its answers show it, carried on by the time that has passed since. It never
 * falls, and it is never behind the newest entry that this process knows.
 *
 * <p>Answers show whole seconds, cut off, so the largest distance between them and the elapsed time comes closest to the
 * service's clock. It is lowered again when an answer shows that the elapsed time runs ahead of the service.
 */
final class LogClock implements InstantSource {

    /** How far an entry may be ahead of the service's clock. */
    static final long MOST_AHEAD = 5_000;

    // An answer is up to a second behind the service's clock because it is cut off, and another second old.
    private static final long TOLERANCE = 2_000;

    private final InstantSource elapsed;
    private boolean known;
    private long distance;
    private long floor;

    LogClock(InstantSource elapsed) {
        this.elapsed = elapsed;
    }

    /** Takes in the time of an answer. */
    synchronized void observe(Instant date) {
        long seen = date.toEpochMilli() - elapsed.millis();
        if (!known || seen > distance) {
            distance = seen;
        } else if (distance > seen + TOLERANCE) {
            distance = seen + TOLERANCE / 2;
        }
        known = true;
    }

    /** Takes in the time of an entry. */
    synchronized void raise(long time) {
        floor = Math.max(floor, time);
    }

    /** The service's clock, as far as it is known: it may fall a little. */
    synchronized long service() {
        return elapsed.millis() + distance;
    }

    @Override
    public synchronized Instant instant() {
        floor = Math.max(floor, service());
        return Instant.ofEpochMilli(floor);
    }
}
