package dev.semel.store;

import java.util.Locale;

/** What is known of an effect. */
public enum EffectState {
    /** Its intent is recorded and the attempt that recorded it may still be at it. */
    IN_PROGRESS,
    /** Its intent is recorded, the attempt is over, and nobody knows whether it happened. */
    UNKNOWN,
    /** It happened, and its result is recorded; it does not run again. */
    DONE,
    /** It is known that nothing happened; it may run as if for the first time. */
    NOT_DONE;

    /**
     * The word for this state outside of Java.
     *
     * @return the name in lower case
     */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
