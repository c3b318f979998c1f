package dev.semel.task;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How many tasks of a queue may start in a span of time, over all workers together.
 *
 * <p>Starts are spread evenly: after each start the next is due a {@link #interval} later. What was not used up is kept
 * for a tenth of a second at the most, so the starts of any span are at most those of the limit and one {@link #burst}. All
 * that a store has to keep is one number, the <em>mark</em>: the nanosecond at which everything that has started so far
 * would have been due, had it been spread evenly.
 *
 * @param starts how many; 0 only in {@link #NONE}
 * @param per in which span
 */
public record RateLimit(int starts, Per per) {

    /** No limit, said explicitly: it wins over a limit that is declared elsewhere. */
    public static final RateLimit NONE = new RateLimit(0, Per.SEC);

    /** The most starts in one span. */
    public static final int MOST_STARTS = 1_000_000;

    private static final long BURST_NANOS = 100_000_000;
    private static final long SHORTEST_WAIT_NANOS = 10_000_000;
    private static final Pattern FORM = Pattern.compile("(\\d{1,7})/(sec|min|hour|day)");

    /** A span of time. */
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
        if (text.equals("none")) {
            return NONE;
        }
        Matcher form = FORM.matcher(text);
        if (form.matches() && Integer.parseInt(form.group(1)) > 0) {
            return new RateLimit(
                    Integer.parseInt(form.group(1)), Per.valueOf(form.group(2).toUpperCase(Locale.ROOT)));
        }
        throw new InvalidInput("A rate limit is a number from 1 to " + MOST_STARTS + " and a span (sec, min, hour or"
                + " day), such as \"100/sec\" or \"500/min\", or none, but got \"" + Limits.shown(text) + "\".");
    }

    /**
     * Writes the limit as {@link #parse} reads it.
     *
     * @return the text
     */
    public String text() {
        return starts == 0 ? "none" : starts + "/" + per.name().toLowerCase(Locale.ROOT);
    }

    /**
     * The even distance of two starts.
     *
     * @return the distance
     */
    public Duration interval() {
        return Duration.ofNanos(intervalNanos());
    }

    /**
     * The most that starts at once after a pause.
     *
     * @return what the limit allows in a tenth of a second, and 1 at the least
     */
    public int burst() {
        return (int) Math.max(1, starts * BURST_NANOS / per.nanos);
    }

    /**
     * How many may start now.
     *
     * @param mark the mark that is kept
     * @param now the store's time, in nanoseconds since 1970
     * @return 0 to {@link #burst}
     */
    public int allowed(long mark, long now) {
        return (int) ((burst() * intervalNanos() - (held(mark, now) - now)) / intervalNanos());
    }

    /**
     * The mark after some have started.
     *
     * @param mark the mark that is kept
     * @param now the store's time, in nanoseconds since 1970
     * @param started how many started now
     * @return the mark to keep
     */
    public long markAfter(long mark, long now, int started) {
        return held(mark, now) + started * intervalNanos();
    }

    /**
     * Tells whether a mark is further ahead than this limit ever puts it, because the limit was slower before or the clock
     * was turned back. Then the mark has to be kept as {@link #markAfter} gives it although nothing started: otherwise it
     * would hold back everything until its time has come.
     *
     * @param mark the mark that is kept
     * @param now the store's time, in nanoseconds since 1970
     * @return whether
     */
    public boolean isTooFarAhead(long mark, long now) {
        return mark > now + burst() * intervalNanos();
    }

    /**
     * How long until it is worth asking again, where all that may start now has started.
     *
     * @param mark the mark that is kept
     * @param now the store's time, in nanoseconds since 1970
     * @return until one may start; under a fast limit a hundredth of a second, in which several may
     */
    public Duration waitAfter(long mark, long now) {
        long untilOne = held(mark, now) + intervalNanos() - burst() * intervalNanos() - now;
        long least = Math.min(SHORTEST_WAIT_NANOS, (burst() - 1) * intervalNanos());
        return Duration.ofNanos(Math.max(untilOne, least));
    }

    /** The mark as it counts now: not before now, and not further ahead than this limit ever puts it. */
    private long held(long mark, long now) {
        return Math.clamp(mark, now, now + burst() * intervalNanos());
    }

    private long intervalNanos() {
        return Math.ceilDiv(per.nanos, (long) starts); // rounded down, a long span would have too many starts
    }
}
