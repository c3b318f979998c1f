package dev.semel.testkit.simulation;

import dev.semel.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Virtual time: events ordered by their time, and those of one time by the order in which they were made. It moves from
 * one event to the next and never waits. The store's clock goes with it, and may be ahead of it.
 */
final class Timeline {

    /** Whose event it is: it does not happen if its party is gone, and happens later if its party is frozen. */
    interface Party {

        String name();

        boolean isGone();

        /** The time until which nothing happens in this party; in the past if it is not frozen. */
        long frozenUntil();

        /** Asked before every event of this party: it may be gone the moment before. */
        default void maybeStruck() {}
    }

    /** Something that will happen. */
    static final class Event {
        final long at;
        final long sequence;
        final @Nullable Party party;
        final Runnable step;
        private boolean cancelled;

        private Event(long at, long sequence, @Nullable Party party, Runnable step) {
            this.at = at;
            this.sequence = sequence;
            this.party = party;
            this.step = step;
        }

        void cancel() {
            cancelled = true;
        }
    }

    private static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");

    private final PriorityQueue<Event> events = new PriorityQueue<>(
            Comparator.<Event>comparingLong(event -> event.at).thenComparingLong(event -> event.sequence));
    private final ManualClock storeClock;
    private final int mostEvents;

    private long now;
    private long sequence;
    private int happened;
    private long digest;
    private Duration storeAhead = Duration.ZERO;

    Timeline(ManualClock storeClock, int mostEvents) {
        this.storeClock = storeClock;
        this.mostEvents = mostEvents;
        storeClock.set(BEGINNING);
    }

    /** Nanoseconds since the beginning. */
    long now() {
        return now;
    }

    /** What a clock shows that is right. */
    Instant instant() {
        return BEGINNING.plusNanos(now);
    }

    int happened() {
        return happened;
    }

    /** A number that depends on every event, its time and its party. */
    long digest() {
        return digest;
    }

    Event after(Duration delay, @Nullable Party party, Runnable step) {
        return at(now + delay.toNanos(), party, step);
    }

    /** Lets the store's clock jump forwards. */
    void jumpStore(Duration by) {
        storeAhead = storeAhead.plus(by);
        storeClock.set(instant().plus(storeAhead));
    }

    private Event at(long time, @Nullable Party party, Runnable step) {
        Event event = new Event(time, sequence++, party, step);
        events.add(event);
        return event;
    }

    /** Lets everything happen until a time. */
    void runUntil(long end) {
        Event next = events.peek();
        while (next != null && next.at <= end) {
            events.remove();
            happen(next);
            next = events.peek();
        }
        moveTo(end);
    }

    /** Lets the next thing happen, unless that is after a time; tells whether there was any. */
    boolean runNext(long end) {
        Event next = events.peek();
        if (next == null || next.at > end) {
            return false;
        }
        events.remove();
        happen(next);
        return true;
    }

    private void happen(Event event) {
        moveTo(event.at);
        Party party = event.party;
        if (event.cancelled || (party != null && party.isGone())) {
            return;
        }
        if (party != null && party.frozenUntil() > now) {
            at(party.frozenUntil(), party, () -> {
                if (!event.cancelled) {
                    event.step.run();
                }
            });
            return;
        }
        if (++happened > mostEvents) {
            throw new Broken(
                    Invariant.I7,
                    "More than " + mostEvents + " events: something goes round in circles, at last "
                            + (party == null ? "the network" : party.name()));
        }
        digest = digest * 31 + now + (party == null ? 0 : party.name().hashCode());
        if (party != null) {
            party.maybeStruck();
        }
        if (party == null || !party.isGone()) {
            run(event.step, party);
        }
    }

    private static void run(Runnable step, @Nullable Party party) {
        try {
            step.run();
        } catch (Broken broken) {
            throw broken;
        } catch (RuntimeException e) {
            throw new Broken(Invariant.I8, "A step of " + (party == null ? "the network" : party.name()) + " threw", e);
        }
    }

    private void moveTo(long time) {
        if (time > now) {
            now = time;
            storeClock.set(instant().plus(storeAhead));
        }
    }
}
