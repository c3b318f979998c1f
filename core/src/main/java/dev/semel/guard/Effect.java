package dev.semel.guard;

import org.jspecify.annotations.Nullable;

/**
 * The user's function that a guard runs once.
 *
 * @param <T> the class of the result
 * @param <X> what it throws
 */
@FunctionalInterface
public interface Effect<T extends @Nullable Object, X extends Exception> {

    /**
     * Does it.
     *
     * @param token an idempotency token to pass on to other systems: always the same for the same tenant and key, also
     *     when the effect runs again because nobody knows whether it has happened. Of no meaning if the key is empty
     * @return the result, which is stored; null is a result as well
     * @throws X if it failed; then the next call runs it again
     */
    T run(String token) throws X;
}
