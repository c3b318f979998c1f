package dev.semel.guard;

/** What a guard does when its store fails. */
public enum FailMode {
    /** Throws, so the effect does not run: the default. Nothing happens twice, and nothing happens while the store is down. */
    CLOSED,
    /** Runs the effect all the same, unguarded: it happens, perhaps twice. */
    OPEN
}
