package dev.semel.observe;

import java.util.Locale;

/** How one effect of a handler ended, for metrics. */
public enum EffectResult {
    /** It ran, and its outcome is recorded or about to be. */
    DONE,
    /** It ran and threw: its outcome is unknown. */
    UNKNOWN,
    /** It ran, and reported that nothing happened. */
    NOT_DONE,
    /** It did not run, because an earlier attempt has recorded its outcome. */
    RECORDED,
    /** It did not run, because the provider reported that it had happened, or because it is assumed to. */
    FOUND,
    /** It did not run, because only a person can resolve it: its task is parked. */
    PARKED,
    /** It did not run, because its attempt has ended, its lease was lost or its intent could not be recorded. */
    NOT_RUN;

    /**
     * Returns the word for this value in metrics.
     *
     * @return the name in lower case
     */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
