package dev.semel.spring.test;

import dev.semel.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;

/**
 * The clock of the store of a {@link SemelTest}. It stands still until the test moves it. Delays, retries and windows go
 * by it; waiting for a result does not.
 */
public final class TestClock {

    private final ManualClock clock;
    private final Runnable moved;

    TestClock(ManualClock clock, Runnable moved) {
        this.clock = clock;
        this.moved = moved;
    }

    /** {@return the time that it shows} */
    public Instant now() {
        return clock.instant();
    }

    /**
     * Moves the clock, and wakes the workers for what has become due. Move it while no handler runs, or by less than a
     * lease: otherwise the attempt has lost its lease.
     *
     * @param time how far
     * @return the new time
     */
    public Instant advance(Duration time) {
        Instant now = clock.advance(time);
        moved.run();
        return now;
    }
}
