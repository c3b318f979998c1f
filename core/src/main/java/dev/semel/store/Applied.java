package dev.semel.store;

/** What became of one move. */
public enum Applied {
    /** Done, now or by an earlier send of the same move. */
    APPLIED,
    /**
     * Done, and somebody wants the task to be cancelled: the answer to an extension of its lease, and to the wish to
     * cancel a running task.
     */
    CANCEL_REQUESTED,
    /** Not done: the lease has passed to another attempt, or the task has ended another way. Nothing changed. */
    STALE,
    /** Not done: there is no such task or key. */
    NOT_FOUND,
    /** Not done: a newer task holds the key. */
    SUPERSEDED,
    /** Not done: the key's task is still open, or the effect's attempt still at it, so neither can be let go. */
    HELD,
    /** Not done: the outcome of the effect is recorded already. */
    SETTLED,
    /** Not done: nobody knows whether the effect happened, and its provider no longer knows its token. */
    TOO_LATE,
    /** Not done: the queue would get its own dead letters back. */
    CIRCLE
}
