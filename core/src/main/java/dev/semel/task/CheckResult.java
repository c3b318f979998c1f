package dev.semel.task;

import java.util.Locale;

/** What one look at an idempotency key came to, for those who count. */
public enum CheckResult {
    /** Nothing was recorded under the key: the task was created, the effect ran. */
    NEW,
    /** Something was recorded or is under way under the key: it was returned, refused or waited for. */
    DUPLICATE,
    /** The key was used with another input. */
    CONFLICT,
    /** The store failed, so the question was not answered. */
    ERROR;

    /**
     * The word for this result in metrics.
     *
     * @return the name in lower case
     */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
