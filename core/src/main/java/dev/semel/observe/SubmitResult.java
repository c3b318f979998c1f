package dev.semel.observe;

import java.util.Locale;

/** The answer to one submission, for metrics. */
public enum SubmitResult {
    /** A task was created. */
    NEW,
    /** The existing task of the key was returned. */
    DUPLICATE,
    /** The submission was rejected because of the existing task of the key. */
    REJECTED,
    /** The key was used with another input or type. */
    CONFLICT,
    /** The store failed. */
    ERROR;

    /**
     * Returns the word for this value in metrics.
     *
     * @return the name in lower case
     */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
