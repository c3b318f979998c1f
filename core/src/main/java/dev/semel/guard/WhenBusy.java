package dev.semel.guard;

/** The behaviour of a guard when another call is running the effect. */
public enum WhenBusy {
    /** Throws {@link InProgress}, so that the caller can retry later. This is the default. */
    THROW,
    /**
     * Waits for the other call's result up to the guard's wait limit. Runs the effect if the other call fails or
     * vanishes.
     */
    WAIT,
    /** Skips the effect and returns no result. */
    SKIP
}
