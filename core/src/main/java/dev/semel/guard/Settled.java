package dev.semel.guard;

/** What became of a renewal, a finish or a failure. */
public enum Settled {
    /** Done, now or by an earlier send of the same. */
    APPLIED,
    /** Not done: the entry belongs to somebody else by now, or is gone. Nothing changed. */
    STALE
}
