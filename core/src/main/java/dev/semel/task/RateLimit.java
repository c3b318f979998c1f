package dev.semel.task;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The number of tasks of a queue that may start in a period, over all workers together.
 *
 * <p>Starts are spread evenly: after each start the next one is due an {@link #interval} later. Unused starts are kept
 * for at most a tenth of a second, so any period has at most the starts of the limit and one {@link #burst}. A store
 * keeps only one number, the <em>mark</em>: the nanosecond at which all starts so far would be used up if they were
 * spread evenly.
 *
 * @param starts the number of starts; 0 only in {@link #NONE}
 * @param per the period
 */
public record RateLimit(int starts, Per per) {

    /** An explicit absence of a limit, which overrides a limit that is declared elsewhere. */
    public static final RateLimit NONE = new RateLimit(0, Per.SEC);

    /** The maximum number of starts in one period. */
    public static final int MOST_STARTS = 1_000_000;

    private static final long BURST_NANOS = 100_000_000;
    private static final long SHORTEST_WAIT_NANOS = 10_000_000;
    private static final Pattern FORM = Pattern.compile("(\\d{1,7})/(sec|min|hour|day)");

    /** A period. */
    public enum Per {
        /** A second. */
        SEC(1),
        /** A minute. */
        MIN(60),
        /** An hour. */
        HOUR(3_600),
        /** A day of 24 hours. */
        DAY(86_400);

        private final long nanos;

        Per(long seconds) {
            this.nanos = seconds * 1_000_000_000L;
        }
    }

    /** Checks the number. */
    public RateLimit {
        Limits.notNull("period", per);
        if (starts < 0 || starts > MOST_STARTS || (starts == 0 && per != Per.SEC)) {
            throw new InvalidInput("A rate limit is 1 to " + MOST_STARTS + " starts, but got \"" + starts + "\".");
        }
    }

    /**
     * Reads a limit.
     *
     * @param text for example {@code 100/sec}, {@code 500/min}, {@code 10/hour}, {@code 1/day}, or {@code none}
     * @return the limit
     * @throws InvalidInput if the text has another form
     */
    public static RateLimit parse(String text) {
        if (Limits.notNull("rate limit", text).equals("none")) {
            return NONE;
        }
        Matcher form = FORM.matcher(text);
        if (form.matches() && Integer.parseInt(form.group(1)) > 0) {
            return new RateLimit(
                    Integer.parseInt(form.group(1)), Per.valueOf(form.group(2).toUpperCase(Locale.ROOT)));
        }
        throw new InvalidInput("A rate limit is a number from 1 to " + MOST_STARTS
                + " and a period (sec, min, hour or day), such as \"100/sec\" or \"500/min\", or none, but got \""
                + Limits.shown(text) + "\".");
    }

    /**
     * Writes the limit as {@link #parse} reads it.
     *
     * @return the text
     */
    public String text() {
        return starts == 0 ? "none" : starts + "/" + per.name().toLowerCase(Locale.ROOT);
    }

    /** {@return the time between two evenly spread starts} */
    public Duration interval() {
        return Duration.ofNanos(intervalNanos());
    }

    /**
     * Returns the maximum number of tasks that start at once after a pause.
     *
     * @return the number that the limit allows in a tenth of a second, and at least 1
     */
    public int burst() {
        return (int) Math.max(1, starts * BURST_NANOS / per.nanos);
    }

    /**
     * Returns how many tasks may start now.
     *
     * @param mark the stored mark
     * @param now the store's time, in nanoseconds since 1970
     * @return 0 to {@link #burst}
     */
    public int allowed(long mark, long now) {
        return (int) ((burst() * intervalNanos() - (held(mark, now) - now)) / intervalNanos());
    }

    /**
     * Returns the mark after tasks have started.
     *
     * @param mark the stored mark
     * @param now the store's time, in nanoseconds since 1970
     * @param started how many tasks started now
     * @return the mark to store
     */
    public long markAfter(long mark, long now, int started) {
        return held(mark, now) + started * intervalNanos();
    }

    /**
     * Returns whether a mark is further ahead than this limit ever puts it, because the limit was lower before or the
     * clock was set back. Then the store must keep the result of {@link #markAfter} although no task started: otherwise
     * the old mark would block all starts until its time.
     *
     * @param mark the stored mark
     * @param now the store's time, in nanoseconds since 1970
     * @return whether the mark is too far ahead
     */
    public boolean isTooFarAhead(long mark, long now) {
        return mark > now + burst() * intervalNanos();
    }

    /**
     * Returns how long to wait before the next claim after all allowed tasks have started.
     *
     * @param mark the stored mark
     * @param now the store's time, in nanoseconds since 1970
     * @return the time until one task may start; under a high limit at least a hundredth of a second, in which several
     *     may
     */
    public Duration waitAfter(long mark, long now) {
        long untilOne = held(mark, now) + intervalNanos() - burst() * intervalNanos() - now;
        long least = Math.min(SHORTEST_WAIT_NANOS, (burst() - 1) * intervalNanos());
        return Duration.ofNanos(Math.max(untilOne, least));
    }

    /**
     * Returns the mark clamped to its valid range: not before now, and not further ahead than this limit ever puts it.
     */
    private long held(long mark, long now) {
        return Math.clamp(mark, now, now + burst() * intervalNanos());
    }

    private long intervalNanos() {
        return Math.ceilDiv(per.nanos, (long) starts); // rounded down, a long span would have too many starts
    }
}
