package dev.semel.testkit;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that stands still until somebody moves it. Safe for use by many threads. */
public final class ManualClock implements InstantSource {

    private final AtomicReference<Instant> now;

    /** Makes a clock that shows the beginning of 2026. */
    public ManualClock() {
        this(Instant.parse("2026-01-01T00:00:00Z"));
    }

    /**
     * Makes a clock.
     *
     * @param start what it shows at first
     */
    public ManualClock(Instant start) {
        now = new AtomicReference<>(start);
    }

    @Override
    public Instant instant() {
        return now.get();
    }

    /**
     * Sets the clock, also back.
     *
     * @param time what it shows from now on
     */
    public void set(Instant time) {
        now.set(time);
    }

    /**
     * Lets time pass.
     *
     * @param duration how much; negative to turn the clock back
     * @return what it shows from now on
     */
    public Instant advance(Duration duration) {
        return now.updateAndGet(time -> time.plus(duration));
    }

    @Override
    public String toString() {
        return "ManualClock[" + now.get() + "]";
    }
}
