package dev.semel.testkit.virtualtime;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Virtual time: events ordered by time, and events of the same time by creation. It moves from one event to the next
 * and never waits. The store's clock follows it, and may be ahead of it.
 */
public final class Timeline {

    /**
     * The owner of an event. The event does not happen if its party has crashed, and happens later if its party is
     * frozen.
     */
    public interface Party {

        /**
         * Returns the name of the party.
         *
         * @return the same every time
         */
        String name();

        /**
         * Returns whether the party has ended.
         *
         * @return whether its events no longer happen
         */
        boolean isGone();

        /**
         * Returns the time until which nothing happens in this party.
         *
         * @return nanoseconds since the beginning; in the past if it is not frozen
         */
        long frozenUntil();

        /** Called before every event of this party, which may crash just before it. */
        default void maybeStruck() {}
    }

    /** A scheduled event. */
    public static final class Event {
        private final long at;
        private final long sequence;
        private final @Nullable Party party;
        private final Runnable step;
        private boolean cancelled;

        private Event(long at, long sequence, @Nullable Party party, Runnable step) {
            this.at = at;
            this.sequence = sequence;
            this.party = party;
            this.step = step;
        }

        /** Cancels the event. */
        public void cancel() {
            cancelled = true;
        }
    }

    private static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");

    private final PriorityQueue<Event> events = new PriorityQueue<>(
            Comparator.<Event>comparingLong(event -> event.at).thenComparingLong(event -> event.sequence));
    private final Consumer<Instant> storeClock;
    private final int mostEvents;

    private long now;
    private long sequence;
    private int happened;
    private long digest;
    private Duration storeAhead = Duration.ZERO;

    /**
     * Creates a timeline at its beginning.
     *
     * @param storeClock sets the store's clock
     * @param mostEvents the number of events after which a {@link WorldFailure.Endless} is thrown
     */
    public Timeline(Consumer<Instant> storeClock, int mostEvents) {
        this.storeClock = storeClock;
        this.mostEvents = mostEvents;
        storeClock.accept(BEGINNING);
    }

    /**
     * Returns the virtual time.
     *
     * @return nanoseconds since the beginning
     */
    public long now() {
        return now;
    }

    /**
     * Returns the time of a clock without deviation.
     *
     * @return the virtual time
     */
    public Instant instant() {
        return BEGINNING.plusNanos(now);
    }

    /**
     * Returns the number of events that have happened.
     *
     * @return their number
     */
    public int happened() {
        return happened;
    }

    /** Returns a number that depends on every event, its time and its party. */
    long digest() {
        return digest;
    }

    /**
     * Schedules an event.
     *
     * @param delay the delay from now
     * @param party whose event it is, or null
     * @param step what happens
     * @return the event, which can be cancelled
     */
    public Event after(Duration delay, @Nullable Party party, Runnable step) {
        return at(now + delay.toNanos(), party, step);
    }

    /**
     * Moves the store's clock forwards.
     *
     * @param by how far
     */
    public void jumpStore(Duration by) {
        storeAhead = storeAhead.plus(by);
        storeClock.accept(instant().plus(storeAhead));
    }

    private Event at(long time, @Nullable Party party, Runnable step) {
        Event event = new Event(time, sequence++, party, step);
        events.add(event);
        return event;
    }

    /**
     * Runs all events until a time.
     *
     * @param end nanoseconds since the beginning
     */
    public void runUntil(long end) {
        Event next = events.peek();
        while (next != null && next.at <= end) {
            events.remove();
            happen(next);
            next = events.peek();
        }
        moveTo(end);
    }

    /**
     * Runs the next event, unless it is after a time.
     *
     * @param end nanoseconds since the beginning
     * @return whether there was one
     */
    public boolean runNext(long end) {
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
            throw new WorldFailure.Endless(
                    "More than " + mostEvents + " events happened: something repeats without end. The last event was"
                            + " of "
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
        } catch (WorldFailure failure) {
            throw failure;
        } catch (RuntimeException e) {
            throw new WorldFailure("A step of " + (party == null ? "the network" : party.name()) + " threw", e);
        }
    }

    private void moveTo(long time) {
        if (time > now) {
            now = time;
            storeClock.accept(instant().plus(storeAhead));
        }
    }
}
