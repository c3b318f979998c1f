package dev.semel.schedule;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.util.Locale;

/** What happens to a tick while the task of the tick before it is still open. */
public enum Overlap {
    /** The tick is skipped. */
    SKIP,
    /** The tick's task waits until the earlier one has ended. If one waits already, the tick is skipped. */
    WAIT,
    /** The earlier task is cancelled, and the tick's task waits until it has really ended. */
    REPLACE,
    /** The tick's task starts beside the earlier one. */
    ALLOW;

    /**
     * Returns the word for this policy outside of Java.
     *
     * @return the name in lower case
     */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Reads a word.
     *
     * @param word the word
     * @return the policy
     * @throws InvalidInput if there is no such policy
     */
    public static Overlap parse(String word) {
        for (Overlap overlap : values()) {
            if (overlap.word().equals(word)) {
                return overlap;
            }
        }
        throw new InvalidInput("An overlap is skip, wait, replace or allow, but got \"" + Limits.shown(word) + "\".");
    }
}
