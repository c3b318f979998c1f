package dev.semel.schedule;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.time.Duration;

/**
 * What happens to ticks that were missed because no scheduler ran. A tick that is at most {@link #TOLERANCE} late was not missed.
 *
 * @param most how many missed ticks are made, the latest ones: 0, 1, or more. A single one is made only if no later tick is due by now
 */
public record CatchUp(int most) {

    /** A tick that is made this late is still on time: programs may be busy, or restart. */
    public static final Duration TOLERANCE = Duration.ofMinutes(1);

    /** The maximum number of missed ticks that are made. */
    public static final int MAX = 1_000;

    private static final CatchUp SKIP = new CatchUp(0);
    private static final CatchUp LAST = new CatchUp(1);

    /** Checks the number. */
    public CatchUp {
        if (most < 0 || most > MAX) {
            throw new InvalidInput("A schedule makes 0 to " + MAX + " missed ticks, but got \"" + most + "\".");
        }
    }

    /** {@return no missed tick is made} */
    public static CatchUp skip() {
        return SKIP;
    }

    /** {@return the last missed tick is made, unless a later one is due by now; this is the default} */
    public static CatchUp last() {
        return LAST;
    }

    /**
     * Returns a policy that makes all missed ticks, within a limit.
     *
     * @param most how many at the most, the latest ones; at least 2
     * @return the policy
     */
    public static CatchUp all(int most) {
        if (most < 2) {
            throw new InvalidInput(
                    "All missed ticks within a limit are at least 2, but got \"" + most + "\". Use last or skip.");
        }
        return new CatchUp(most);
    }

    /**
     * Returns the word for this policy outside of Java.
     *
     * @return {@code skip}, {@code last}, or for example {@code all:100}
     */
    public String word() {
        return switch (most) {
            case 0 -> "skip";
            case 1 -> "last";
            default -> "all:" + most;
        };
    }

    /**
     * Reads a word.
     *
     * @param word the word
     * @return the policy
     * @throws InvalidInput if there is no such policy
     */
    public static CatchUp parse(String word) {
        if (word.equals("skip")) {
            return SKIP;
        }
        if (word.equals("last")) {
            return LAST;
        }
        if (word.matches("all:[0-9]{1,9}")) {
            return all(Integer.parseInt(word.substring("all:".length())));
        }
        throw new InvalidInput("Missed ticks are caught up by skip, last, or all with a limit as in all:100, but got \""
                + Limits.shown(word) + "\".");
    }

    /** {@return the word for this policy} */
    @Override
    public String toString() {
        return word();
    }
}
