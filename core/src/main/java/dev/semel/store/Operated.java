package dev.semel.store;

/** The answer to one {@link Operation}. */
public enum Operated {
    /** Done, now or by an earlier send of the same operation. */
    APPLIED,
    /** The task runs, and its worker is asked to cancel it. */
    CANCEL_REQUESTED,
    /** Not done: the task or the effect has changed since it was read. Nothing changed. */
    STALE,
    /** Not done: there is no such task, key or effect. */
    NOT_FOUND,
    /** Not done: a newer task holds the key. */
    SUPERSEDED,
    /**
     * Not done: the task, or the task of the key, is still open, the attempt of the effect or of the workflow still runs, or the workflow has
     * not begun.
     */
    HELD,
    /** Not done: the queue would get its own dead letters back. */
    CIRCLE
}
