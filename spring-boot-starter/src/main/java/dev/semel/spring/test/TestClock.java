package dev.semel.spring.test;

import dev.semel.store.QueueDepth;
import dev.semel.store.TaskStore;
import dev.semel.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/**
 * The clock of the store of a {@link SemelTest}. It stands still until the test moves it. Delays, retries and windows go
 * by it; waiting for a result does not.
 */
public final class TestClock {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long LOOK_AGAIN = Duration.ofMillis(1).toNanos();

    private final ManualClock clock;
    private final TaskStore store;
    private final Runnable moved;

    TestClock(ManualClock clock, TaskStore store, Runnable moved) {
        this.clock = clock;
        this.store = store;
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

    /**
     * Waits until no task runs or is due, then moves the clock as {@link #advance} does. So a workflow has come to where it waits, and
     * no running handler loses its lease.
     *
     * @param time how far
     * @return the new time
     * @throws IllegalStateException if tasks still run or are due after a minute, for example because no handler runs their type
     */
    public Instant advanceWhenIdle(Duration time) {
        long began = System.nanoTime();
        Map<String, QueueDepth> busy = busy();
        while (!busy.isEmpty()) {
            if (System.nanoTime() - began > PATIENCE.toNanos()) {
                throw new IllegalStateException("Tasks still run or are due after " + PATIENCE.toSeconds()
                        + " s, so the clock was not moved: " + busy + ". Check that each type has a handler.");
            }
            LockSupport.parkNanos(LOOK_AGAIN);
            busy = busy();
        }
        return advance(time);
    }

    private Map<String, QueueDepth> busy() {
        Map<String, QueueDepth> depths = new TreeMap<>(store.depths());
        depths.values().removeIf(depth -> depth.due() == 0 && depth.running() == 0);
        return depths;
    }
}
