package dev.semel.storetests.simulation;

/**
 * A broken invariant.
 *
 * @param invariant which one
 * @param message what is wrong with which task or identity, the slice of history that shows it, the seed, and the command
 *     that replays it
 */
public record Violation(Invariant invariant, String message) {

    @Override
    public String toString() {
        return invariant + " (" + invariant.law() + ") is broken. " + message;
    }
}
