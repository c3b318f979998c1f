package dev.semel.guard;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What became of a guarded call.
 *
 * @param <T> the class of the result
 */
public sealed interface Outcome<T extends @Nullable Object> {

    /**
     * The effect ran, and its outcome is recorded.
     *
     * @param result its result
     * @param <T> the class of the result
     */
    record Ran<T extends @Nullable Object>(T result) implements Outcome<T> {}

    /**
     * The effect had happened before and was skipped.
     *
     * @param result the stored result
     * @param finishedAt when it was recorded
     * @param <T> the class of the result
     */
    record Repeated<T extends @Nullable Object>(T result, Instant finishedAt) implements Outcome<T> {}

    /**
     * The effect is in progress elsewhere and was skipped, because the guard says {@link WhenBusy#SKIP}.
     *
     * @param remaining how long the other's lease still lasts unless it is renewed
     * @param <T> the class of the result
     */
    record Skipped<T extends @Nullable Object>(Duration remaining) implements Outcome<T> {}

    /**
     * The effect ran without a guard: the key is empty, or the store failed and the guard says {@link FailMode#OPEN}.
     *
     * @param result its result
     * @param <T> the class of the result
     */
    record Unguarded<T extends @Nullable Object>(T result) implements Outcome<T> {}
}
