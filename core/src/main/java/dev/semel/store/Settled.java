package dev.semel.store;

/** The answer to one {@link Settlement}. */
public enum Settled {
    /** Done, now or by an earlier send of the same settlement. */
    APPLIED,
    /** Done, and the cancellation of the task was requested: the answer to an extension of its lease. */
    CANCEL_REQUESTED,
    /** Not done: another attempt has begun, or the attempt has ended another way. Nothing changed. */
    STALE,
    /** Not done: there is no such task, or no such effect. */
    NOT_FOUND,
    /** Not done: the outcome of the effect is recorded already. */
    CONCLUDED,
    /** Not done: it is unknown whether the effect happened, and its provider no longer knows its token. */
    TOO_LATE,
    /** Not done: the history of the workflow would become too long. */
    FULL,
    /** Not done: another open transaction holds the identity of a step; send it again. */
    BUSY
}
