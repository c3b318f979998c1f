package dev.semel.testkit.simulation;

/** Thrown in the middle of a simulation where going on makes no sense, because something is broken already. */
final class Broken extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Invariant invariant;

    Broken(Invariant invariant, String message) {
        super(message);
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
