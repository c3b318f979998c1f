package dev.semel.observe;

import java.util.Locale;

/** A write that the store refused because its attempt no longer holds the lease, for metrics. */
public enum RefusedWrite {
    /** The end of the attempt. */
    END,
    /** The extension of the lease. */
    EXTENSION,
    /** The intent or the outcome of an effect. */
    EFFECT,
    /** New lines of a workflow's history. */
    ADVANCE;

    /**
     * Returns the word for this value in metrics.
     *
     * @return the name in lower case
     */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
