package dev.semel.testkit.virtualtime;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** The clock of one {@link Machine}. */
public interface MachineClock extends InstantSource {

    /**
     * Returns nanoseconds by this machine's pace; these never jump.
     *
     * @return nanoseconds since some moment
     */
    long nanoTime();

    /**
     * Converts a duration on this clock to one on the timeline.
     *
     * @param byThisClock how long something takes by this clock
     * @return how long it really takes
     */
    Duration really(Duration byThisClock);

    /**
     * A clock that is right.
     *
     * @param timeline what it shows the time of
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
