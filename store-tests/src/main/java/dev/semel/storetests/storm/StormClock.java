package dev.semel.storetests.storm;

import dev.semel.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The clock of one round: it moves while calls are under way, remembers when it showed what, and never gets far ahead of a
 * call that is not answered yet. So the store's now of every call is known within a second, and what ended during a call is
 * not swept before the call is answered.
 */
final class StormClock {

    /** How far the clock gets ahead of the oldest call under way. */
    static final long MOST_AHEAD = 1_000;

    private record Tick(long nanos, long millis) {}

    private final ManualClock clock;
    private final AtomicLongArray callsSince;
    // Written by one thread, and read when that has ended.
    private final List<Tick> ticks = new ArrayList<>();

    StormClock(ManualClock clock, int actors) {
        this.clock = clock;
        this.callsSince = new AtomicLongArray(actors);
        for (int i = 0; i < actors; i++) {
            callsSince.set(i, Long.MAX_VALUE);
        }
    }

    long millis() {
        return clock.millis();
    }

    ManualClock manual() {
        return clock;
    }

    /** Holds the clock until the actor has its answer. */
    void pin(int actor) {
        callsSince.set(actor, clock.millis());
    }

    void unpin(int actor) {
        callsSince.set(actor, Long.MAX_VALUE);
    }

    /** Moves the clock, unless a call has been under way for too long. */
    void advance(long millis) {
        long next = clock.millis() + millis;
        for (int i = 0; i < callsSince.length(); i++) {
            long since = callsSince.get(i);
            if (since != Long.MAX_VALUE && next - since > MOST_AHEAD) {
                return;
            }
        }
        ticks.add(new Tick(System.nanoTime(), next));
        clock.advance(Duration.ofMillis(millis));
    }

    /** A nanosecond until which the clock certainly showed less than a time; the largest number if it never got there. */
    long nanosBefore(long millis) {
        int low = 0;
        int high = ticks.size();
        while (low < high) {
            int middle = (low + high) / 2;
            if (ticks.get(middle).millis() >= millis) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low == ticks.size() ? Long.MAX_VALUE : ticks.get(low).nanos();
    }
}
