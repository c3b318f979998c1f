package dev.semel.testkit.simulation;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** The clock of one machine: it runs a little too fast or too slow, shows the wrong time, jumps, and may stand still. */
final class SkewedClock implements InstantSource {

    private final Timeline timeline;
    private final double pace;
    private Duration ahead;
    private @Nullable Instant stopped;

    SkewedClock(Timeline timeline, Lots lots) {
        this.timeline = timeline;
        this.pace = lots.chance(0.5) ? 1.0 : 0.8 + 0.4 * lots.between(0, 100) / 100;
        this.ahead = lots.chance(0.5) ? Duration.ZERO : lots.millis(-600_000, 600_000);
    }

    /** A clock that is right. */
    SkewedClock(Timeline timeline) {
        this.timeline = timeline;
        this.pace = 1.0;
        this.ahead = Duration.ZERO;
    }

    @Override
    public Instant instant() {
        return stopped != null ? stopped : timeline.instant().plus(ahead);
    }

    /** Nanoseconds by this machine's pace; these never jump. */
    long nanoTime() {
        return (long) (timeline.now() * pace);
    }

    /** How long something really takes that takes a time by this clock. */
    Duration really(Duration byThisClock) {
        return Duration.ofNanos((long) (byThisClock.toNanos() / pace));
    }

    /** Jumps, stops, or goes on after it has stopped. */
    void disturb(Lots lots) {
        if (stopped != null) {
            stopped = null;
        } else if (lots.chance(0.3)) {
            stopped = instant();
        } else {
            ahead = ahead.plus(lots.millis(-3_600_000, 3_600_000));
        }
    }
}
