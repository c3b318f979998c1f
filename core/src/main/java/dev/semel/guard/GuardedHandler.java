package dev.semel.guard;

import org.jspecify.annotations.Nullable;

/**
 * The user's function that {@link Guard#wrap} wraps.
 *
 * @param <I> the class of the input
 * @param <T> the class of the result
 * @param <X> the exception of the handler
 */
@FunctionalInterface
public interface GuardedHandler<I, T extends @Nullable Object, X extends Exception> {

    /**
     * Handles an input.
     *
     * @param input the input
     * @param token see {@link Effect#run}
     * @return the result, which is stored; null is a valid result
     * @throws X if the handler failed; the next call runs it again
     */
    T handle(I input, String token) throws X;
}
