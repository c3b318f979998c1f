package dev.semel.guard;

/** The behaviour of a guard when its store fails. */
public enum FailMode {
    /**
     * Throws an exception and does not run the effect. This is the default: no effect happens twice, and none happens
     * while the store is down.
     */
    CLOSED,
    /** Runs the effect without a guard: it happens, perhaps twice. */
    OPEN
}
