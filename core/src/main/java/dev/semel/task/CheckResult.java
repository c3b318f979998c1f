package dev.semel.task;

import java.util.Locale;

/** The result of one check of an idempotency key, for metrics. */
public enum CheckResult {
    /** No task or effect was recorded under the key: the task was created, or the effect ran. */
    NEW,
    /** A task or effect is recorded or in progress under the key: it was returned, rejected or waited for. */
    DUPLICATE,
    /** The key was used with another input. */
    CONFLICT,
    /** The store failed, so the key could not be checked. */
    ERROR;

    /**
     * Returns the word for this result in metrics.
     *
     * @return the name in lower case
     */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
