package dev.semel.wire;

import java.time.Duration;
import java.time.Instant;

/** Whether a time is a whole number of milliseconds that fits into 64 bits. */
final class Times {

    private static final int NANOS_PER_MILLI = 1_000_000;

    // Half of what fits, so that no sum of seconds and nanoseconds exceeds it.
    private static final long MOST_SECONDS = Long.MAX_VALUE / 2_000;

    private Times() {}

    static boolean isWholeMillis(Instant time) {
        return isBounded(time.getEpochSecond()) && time.getNano() % NANOS_PER_MILLI == 0;
    }

    static boolean isWholeMillis(Duration duration) {
        return isBounded(duration.getSeconds()) && duration.getNano() % NANOS_PER_MILLI == 0;
    }

    // Not Math.abs: that of the smallest number is negative.
    private static boolean isBounded(long seconds) {
        return seconds > -MOST_SECONDS && seconds < MOST_SECONDS;
    }
}
