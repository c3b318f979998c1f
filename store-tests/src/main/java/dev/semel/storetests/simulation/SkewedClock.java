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

    SkewedClock(Timeline timeline, Lots lots) {
        this.timeline = timeline;
        this.pace = lots.chance(0.5) ? 1.0 : 0.8 + 0.4 * lots.between(0, 100) / 100;
        this.ahead = lots.chance(0.5) ? Duration.ZERO : lots.millis(-600_000, 600_000);
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
