package dev.semel.observe;

import java.util.Locale;

/** Whether the store answered a call, for metrics. */
public enum CallResult {
    /** It answered. */
    OK,
    /** It did not answer: an outage, a timeout, a lost connection. */
    UNAVAILABLE,
    /** It refused the call, or failed otherwise. */
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
