package dev.semel.testkit;

/** What a {@link HandlerTrial} does to a handler. */
public enum Disturbance {
    /**
     * The worker's process dies: at every moment at which the handler waits for the store, ends an effect or calls a
     * {@link TokenProvider}, and before and after every call of the worker to the store. Another worker takes over when the lease
     * has run out.
     */
    CRASH,
    /**
     * The worker's process stands still at those same moments until another worker has taken over, and then goes on: in the
     * middle of the next attempt, and long after it. Two attempts of one task run, and the first one finishes last.
     */
    FREEZE,
    /** A call of the worker to the store is lost, or is done and its answer is lost. */
    LOST_ANSWER,
    /** A {@link TokenProvider} does what it is asked for, and the handler gets an exception instead of the answer. */
    SILENT_PROVIDER
}
