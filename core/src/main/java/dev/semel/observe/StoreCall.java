package dev.semel.observe;

import java.util.Locale;

/** A kind of store call, for metrics. */
public enum StoreCall {
    /** Submissions, also those that join a transaction of the caller. */
    SUBMIT,
    /** A claim. */
    CLAIM,
    /** Settlements: ends of attempts, heartbeats, effects. */
    SETTLE,
    /** The completion of a task together with writes of its handler, whose time is included. */
    TRANSACTION,
    /** Operations on tasks, keys, effects and queues. */
    OPERATE,
    /** Lists and lookups. */
    READ,
    /** One step of the cleaning. */
    SWEEP;

    /**
     * Returns the word for this value in metrics.
     *
     * @return the name in lower case
     */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
