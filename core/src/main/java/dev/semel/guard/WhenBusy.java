package dev.semel.guard;

/** What a guard does when somebody else runs the effect at this moment. */
public enum WhenBusy {
    /** Throws {@link InProgress}, which means: try again later. The default. */
    THROW,
    /** Waits for the other's result up to the guard's wait limit; runs the effect itself if the other fails or vanishes. */
    WAIT,
    /** Skips the effect and has no result. */
    SKIP
}
