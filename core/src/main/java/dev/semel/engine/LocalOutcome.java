package dev.semel.engine;

import org.jspecify.annotations.Nullable;

/**
 * What is known of a local step of a workflow when its code comes there.
 *
 * @param <T> the class of its result
 */
public sealed interface LocalOutcome<T extends @Nullable Object> {

    /**
     * The key of the entry in the workflow's inbox that says how a person resolved it last.
     *
     * @return the key, or null if no person did since the workflow dealt with it
     */
    @Nullable
    String resolved();

    /**
     * It is done.
     *
     * @param result its result
     * @param resolved the key of the last resolution
     * @param <T> the class of its result
     */
    record Done<T extends @Nullable Object>(
            T result, @Nullable String resolved) implements LocalOutcome<T> {}

    /**
     * Its outcome is unknown, and a person has to resolve it.
     *
     * @param resolved the key of the last resolution
     * @param <T> the class of its result
     */
    record Referred<T extends @Nullable Object>(@Nullable String resolved) implements LocalOutcome<T> {}
}
