package dev.semel.task;

import java.time.InstantSource;
import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * The id of a task: a UUID of version 7, made by the submitting side before anything is sent.
 *
 * <p>Because the sender makes it, a submission that is sent twice carries the same id both times and is recognised by
 * it. Because it begins with the time in milliseconds, new rows land next to each other in an index.
 *
 * @param value the UUID
 */
public record TaskId(UUID value) implements Comparable<TaskId> {

    /**
     * Makes a new id.
     *
     * @param clock gives the time that the id begins with
     * @param random gives the other 74 bits
     * @return an id that nobody else has
     */
    public static TaskId next(InstantSource clock, RandomGenerator random) {
        long high = (clock.millis() << 16) | 0x7000L | (random.nextInt() & 0x0FFF);
        long low = (random.nextLong() & 0x3FFF_FFFF_FFFF_FFFFL) | 0x8000_0000_0000_0000L;
        return new TaskId(new UUID(high, low));
    }

    /**
     * Reads an id from its text.
     *
     * @param text 36 characters, as {@link #toString} writes them
     * @return the id
     * @throws InvalidInput if the text is no UUID
     */
    public static TaskId parse(String text) {
        // UUID.fromString also takes shortened groups such as "1-1-1-1-1", which nobody means.
        if (text.length() == 36) {
            try {
                return new TaskId(UUID.fromString(text));
            } catch (IllegalArgumentException e) {
                // answered below, in one form with the wrong length
            }
        }
        throw new InvalidInput("A task id is a UUID of 36 characters, but got \"" + Limits.shown(text)
                + "\". Take the id that submit or list printed.");
    }

    /** Orders as the unsigned 128-bit numbers do, so by time of creation first. */
    @Override
    public int compareTo(TaskId other) {
        int high = Long.compareUnsigned(value.getMostSignificantBits(), other.value.getMostSignificantBits());
        return high != 0
                ? high
                : Long.compareUnsigned(value.getLeastSignificantBits(), other.value.getLeastSignificantBits());
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
