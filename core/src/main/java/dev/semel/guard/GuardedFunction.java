package dev.semel.guard;

import org.jspecify.annotations.Nullable;

/**
 * A function of an input whose effect a guard runs once for each key: what {@link Guard#wrap} takes and gives.
 *
 * @param <I> the class of the input
 * @param <T> the class of the result
 * @param <X> what it throws
 */
@FunctionalInterface
public interface GuardedFunction<I, T extends @Nullable Object, X extends Exception> {

    /**
     * Does it.
     *
     * @param input the input
     * @return the result
     * @throws X if it failed
     */
    T apply(I input) throws X;
}
