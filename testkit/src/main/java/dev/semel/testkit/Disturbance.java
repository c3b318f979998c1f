package dev.semel.testkit;

/** A kind of disturbance that a {@link HandlerTrial} inflicts on a handler. */
public enum Disturbance {
    /**
     * The worker's process crashes: at every moment at which the handler waits for the store, ends an effect or calls a
     * {@link TokenProvider}, and before and after every call of the worker to the store. Another worker takes over when
     * the lease has expired.
     */
    CRASH,
    /**
     * The worker's process freezes at the same moments until another worker has taken over, and then continues: once in
     * the middle of the next attempt, and once long after it. Two attempts of one task overlap, and the first one
     * finishes last.
     */
    FREEZE,
    /** A call of the worker to the store is lost, or the store performs the call and its answer is lost. */
    LOST_ANSWER,
    /** A {@link TokenProvider} performs a call, and the handler gets an exception instead of the answer. */
    SILENT_PROVIDER
}
