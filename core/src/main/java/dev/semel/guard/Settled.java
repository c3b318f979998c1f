package dev.semel.guard;

/** The answer of a store to a renewal, a finish or a failure. */
public enum Settled {
    /** Done, now or by an earlier send of the same operation. */
    APPLIED,
    /** Not done: another owner has the entry now, or it no longer exists. Nothing changed. */
    STALE
}
