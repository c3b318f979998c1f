package dev.semel.storetests.simulation;

import dev.semel.testkit.virtualtime.MachineClock;
import dev.semel.testkit.virtualtime.Timeline;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The clock of one machine: it runs a little too fast or too slow, shows the wrong time, jumps, and may stand still. */
final class SkewedClock implements MachineClock {

    private final Timeline timeline;
    private final double pace;
    private Duration ahead;
    private @Nullable Instant stopped;

    SkewedClock(Timeline timeline, RandomSource randomness) {
        this.timeline = timeline;
        this.pace = randomness.chance(0.5) ? 1.0 : 0.8 + 0.4 * randomness.between(0, 100) / 100;
        this.ahead = randomness.chance(0.5) ? Duration.ZERO : randomness.millis(-600_000, 600_000);
    }

    @Override
    public Instant instant() {
        return stopped != null ? stopped : timeline.instant().plus(ahead);
    }

    @Override
    public long nanoTime() {
        return (long) (timeline.now() * pace);
    }

    @Override
    public Duration really(Duration byThisClock) {
        return Duration.ofNanos((long) (byThisClock.toNanos() / pace));
    }

    /** Jumps, stops, or continues after it has stopped. */
    void disturb(RandomSource randomness) {
        if (stopped != null) {
            stopped = null;
        } else if (randomness.chance(0.3)) {
            stopped = instant();
        } else {
            ahead = ahead.plus(randomness.millis(-3_600_000, 3_600_000));
        }
    }
}
