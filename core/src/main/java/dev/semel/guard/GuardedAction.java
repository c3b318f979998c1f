package dev.semel.guard;

/**
 * An {@link Effect} without a result.
 *
 * @param <X> the exception of the action
 */
@FunctionalInterface
public interface GuardedAction<X extends Exception> {

    /**
     * Runs the action.
     *
     * @param token see {@link Effect#run}
     * @throws X if the action failed; the next call runs it again
     */
    void run(String token) throws X;
}
