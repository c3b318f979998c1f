package dev.semel.task;

import java.time.InstantSource;
import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * The id of a task: a UUID of version 7, created by the submitting side before the submission is sent.
 *
 * <p>Because the sender creates the id, a submission that is sent twice carries the same id both times and is
 * recognised by it. Because the id begins with the time in milliseconds, new rows are adjacent in an index.
 *
 * @param value the UUID
 */
public record TaskId(UUID value) implements Comparable<TaskId> {

    /** Checks that there is a value. */
    public TaskId {
        Limits.notNull("UUID", value);
    }

    /**
     * Creates a new id.
     *
     * @param clock the source of the time that the id begins with
     * @param random the source of the 74 random bits
     * @return a unique id
     */
    public static TaskId next(InstantSource clock, RandomGenerator random) {
        Limits.notNull("clock", clock);
        Limits.notNull("source of randomness", random);
        long high = (clock.millis() << 16) | 0x7000L | (random.nextInt() & 0x0FFF);
        long low = (random.nextLong() & 0x3FFF_FFFF_FFFF_FFFFL) | 0x8000_0000_0000_0000L;
        return new TaskId(new UUID(high, low));
    }

    /**
     * Reads an id from its text.
     *
     * @param text 36 characters, as {@link #toString} writes them
     * @return the id
     * @throws InvalidInput if the text is not a UUID
     */
    public static TaskId parse(String text) {
        // UUID.fromString also accepts shortened groups such as "1-1-1-1-1", which is never intended.
        if (Limits.notNull("task id", text).length() == 36) {
            try {
                return new TaskId(UUID.fromString(text));
            } catch (IllegalArgumentException e) {
                // reported below, together with a wrong length
            }
        }
        throw new InvalidInput("A task id is a UUID of 36 characters, but got \"" + Limits.shown(text)
                + "\". Use the id that submit or list printed.");
    }

    /** Compares as unsigned 128-bit numbers, so by time of creation first. */
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
