package dev.semel.testkit.virtualtime;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** The clock of one {@link Machine}. */
public interface MachineClock extends InstantSource {

    /**
     * Returns nanoseconds at this machine's pace; these never jump.
     *
     * @return nanoseconds since some moment
     */
    long nanoTime();

    /**
     * Converts a duration on this clock to one on the timeline.
     *
     * @param byThisClock a duration by this clock
     * @return the duration on the timeline
     */
    Duration really(Duration byThisClock);

    /**
     * Returns a clock without deviation.
     *
     * @param timeline the timeline whose time it shows
     * @return the clock
     */
    static MachineClock of(Timeline timeline) {
        return new MachineClock() {

            @Override
            public Instant instant() {
                return timeline.instant();
            }

            @Override
            public long nanoTime() {
                return timeline.now();
            }

            @Override
            public Duration really(Duration byThisClock) {
                return byThisClock;
            }
        };
    }
}
