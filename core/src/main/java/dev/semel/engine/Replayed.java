package dev.semel.engine;

import org.jspecify.annotations.Nullable;

/**
 * A kind of task whose handler is replayed.
 *
 * @param <I> the class of the input
 * @param <O> the class of the output
 * @param <H> the class of the user's function
 */
public interface Replayed<I, O extends @Nullable Object, H> {

    /**
     * Registers the user's function.
     *
     * @param handlers the handlers of a worker
     * @param handler the user's function
     * @param steps prepares the tasks of steps
     */
    void register(Handlers.Builder handlers, H handler, StepPreparer steps);
}
