package dev.semel.guard;

import org.jspecify.annotations.Nullable;

/**
 * The user's function that {@link Guard#wrap} wraps.
 *
 * @param <I> the class of the input
 * @param <T> the class of the result
 * @param <X> what it throws
 */
@FunctionalInterface
public interface GuardedHandler<I, T extends @Nullable Object, X extends Exception> {

    /**
     * Does it.
     *
     * @param input the input
     * @param token see {@link Effect#run}
     * @return the result, which is stored; null is a result as well
     * @throws X if it failed; then the next call runs it again
     */
    T handle(I input, String token) throws X;
}
