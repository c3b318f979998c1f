package dev.semel.guard;

import org.jspecify.annotations.Nullable;

/**
 * The user's function that a guard runs once.
 *
 * @param <T> the class of the result
 * @param <X> the exception of the effect
 */
@FunctionalInterface
public interface Effect<T extends @Nullable Object, X extends Exception> {

    /**
     * Runs the effect.
     *
     * @param token an idempotency token to pass on to other systems. It is always the same for the same tenant and key,
     *     also when the effect runs again because its outcome is unknown. Meaningless if the key is empty
     * @return the result, which is stored; null is a valid result
     * @throws X if the effect failed; the next call runs it again
     */
    T run(String token) throws X;
}
