package dev.semel.s3.guard;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;

/**
 * The time of a service to the millisecond. The service tells its time only to the second, with each answer; this machine's
 * clock gives the milliseconds, and is corrected when it is behind the service or more than five seconds ahead.
 */
final class ServiceClock {

    private static final Duration AHEAD = Duration.ofSeconds(5);

    private final InstantSource local;
    private volatile Duration offset = Duration.ZERO;

    ServiceClock(InstantSource local) {
        this.local = local;
    }

    /** Learns from an answer that was just received. */
    void observe(Instant date) {
        Duration ahead = Duration.between(date, local.instant());
        if (ahead.isNegative()) {
            offset = ahead.negated();
        } else {
            offset = ahead.compareTo(AHEAD) > 0 ? AHEAD.minus(ahead) : Duration.ZERO;
        }
    }

    Instant now() {
        return local.instant().plus(offset).truncatedTo(ChronoUnit.MILLIS);
    }
}
