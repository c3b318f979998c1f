package dev.semel.guard;

import org.jspecify.annotations.Nullable;

/**
 * A function of an input whose effect a guard runs once for each key, as {@link Guard#wrap} returns it.
 *
 * @param <I> the class of the input
 * @param <T> the class of the result
 * @param <X> the exception of the function
 */
@FunctionalInterface
public interface GuardedFunction<I, T extends @Nullable Object, X extends Exception> {

    /**
     * Applies the function.
     *
     * @param input the input
     * @return the result
     * @throws X if the function failed
     */
    T apply(I input) throws X;
}
