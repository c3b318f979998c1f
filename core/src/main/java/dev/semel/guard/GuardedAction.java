package dev.semel.guard;

/**
 * An {@link Effect} without a result.
 *
 * @param <X> what it throws
 */
@FunctionalInterface
public interface GuardedAction<X extends Exception> {

    /**
     * Does it.
     *
     * @param token see {@link Effect#run}
     * @throws X if it failed; then the next call runs it again
     */
    void run(String token) throws X;
}
