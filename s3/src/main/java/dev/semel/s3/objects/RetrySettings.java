package dev.semel.s3.objects;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.time.Duration;

/**
 * How long and how often a request without a usable answer is sent again.
 *
 * @param patience for how long a request is repeated before its caller gets {@link dev.semel.task.StoreUnavailable}
 * @param firstPause the longest pause before the first repetition; each pause is a random part of its maximum
 * @param longestPause the longest pause; the maximum doubles up to it
 */
public record RetrySettings(Duration patience, Duration firstPause, Duration longestPause) {

    /** Checks the settings. */
    public RetrySettings {
        Limits.positive("patience", patience);
        Limits.duration("first pause", firstPause);
        Limits.duration("longest pause", longestPause);
        if (firstPause.compareTo(longestPause) > 0) {
            throw new InvalidInput("The first pause is at most the longest pause, but got \"" + firstPause + "\" and \""
                    + longestPause + "\".");
        }
    }

    /** {@return repetitions for up to 30 s, with pauses of up to 50 ms that double up to 2 s} */
    public static RetrySettings standard() {
        return new RetrySettings(Duration.ofSeconds(30), Duration.ofMillis(50), Duration.ofSeconds(2));
    }

    /** {@return repetitions without pauses, for a service in memory} */
    public static RetrySettings withoutPauses() {
        return new RetrySettings(Duration.ofSeconds(30), Duration.ZERO, Duration.ZERO);
    }

    /**
     * Sets the patience.
     *
     * @param changed for how long a request is repeated
     * @return new settings
     */
    public RetrySettings withPatience(Duration changed) {
        return new RetrySettings(changed, firstPause, longestPause);
    }
}
