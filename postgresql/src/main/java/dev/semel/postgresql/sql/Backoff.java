package dev.semel.postgresql.sql;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/**
 * The tries of something that lost against another transaction: by a race, a deadlock or a serialization failure. There are at
 * most {@link #MOST_TRIES}, with a random pause before each but the first, so that those who met once do not meet again. All
 * pauses together are at most 1.2 seconds. After the last try the caller reports contention ({@code StoreUnavailable}).
 */
public final class Backoff {

    // Lost races and deadlocks are rare, and each leaves the others further than before: so many mean that something
    // is wrong.
    public static final int MOST_TRIES = 30;

    // Most races are lost once, and what the first try found out decides the second: it hardly waits.
    private static final long FIRST_PAUSE = TimeUnit.MICROSECONDS.toNanos(100);
    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

    private int tries = 1;

    /** Pauses, if there may be another try; otherwise returns false. */
    public boolean pauseForAnotherTry() {
        if (tries == MOST_TRIES) {
            return false;
        }
        LockSupport.parkNanos(pauseAfter(tries, ThreadLocalRandom.current()));
        tries++;
        return true;
    }

    /** The pause after so many tries, in nanoseconds: between a half and the whole of what doubles with each try. */
    public static long pauseAfter(int tries, RandomGenerator random) {
        long whole = Math.min(FIRST_PAUSE << Math.min(tries - 1, 20), LONGEST_PAUSE);
        return whole / 2 + random.nextLong(whole / 2 + 1);
    }
}
