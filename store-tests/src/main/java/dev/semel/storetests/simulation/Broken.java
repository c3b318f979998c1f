package dev.semel.storetests.simulation;

import dev.semel.testkit.virtualtime.WorldFailure;

/** Thrown in the middle of a simulation where continuing makes no sense, because something is broken already. */
final class Broken extends WorldFailure {

    private static final long serialVersionUID = 1L;

    private final transient Invariant invariant;

    Broken(Invariant invariant, String message) {
        super(message, null);
        this.invariant = invariant;
    }

    Broken(Invariant invariant, String message, Throwable cause) {
        super(message, cause);
        this.invariant = invariant;
    }

    Invariant invariant() {
        return invariant;
    }
}
