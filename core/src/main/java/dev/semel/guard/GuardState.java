package dev.semel.guard;

import java.util.Locale;

/** The state of an entry. */
public enum GuardState {
    /** A call holds the key, or held it and vanished. */
    IN_PROGRESS,
    /** The effect has happened; it will not run again. */
    SUCCESS,
    /** The last run failed; the next call runs the effect again. */
    FAILURE;

    /**
     * Returns the word for this state outside of Java.
     *
     * @return the name in lower case
     */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
