package dev.semel.store;

import java.util.Locale;

/** The state of an effect. */
public enum EffectState {
    /** Its intent is recorded and the attempt that recorded it still runs. */
    IN_PROGRESS,
    /** Its intent is recorded, the attempt has ended, and it is unknown whether it happened. */
    UNKNOWN,
    /** It happened, and its result is recorded; it does not run again. */
    DONE,
    /** It is known that nothing happened; it may run as if for the first time. */
    NOT_DONE;

    /**
     * Returns the name outside of Java.
     *
     * @return the name in lower case
     */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
