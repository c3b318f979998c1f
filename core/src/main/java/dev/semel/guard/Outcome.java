package dev.semel.guard;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a guarded call.
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
    record Ran<T extends @Nullable Object>(T result) implements Outcome<T> {

        /** {@return the kind of the outcome, without the result} */
        @Override
        public String toString() {
            return "Ran[]";
        }
    }

    /**
     * The effect was skipped because it had happened before.
     *
     * @param result the stored result
     * @param finishedAt when it was recorded
     * @param <T> the class of the result
     */
    record Repeated<T extends @Nullable Object>(T result, Instant finishedAt) implements Outcome<T> {

        /** {@return when it was recorded, without the result} */
        @Override
        public String toString() {
            return "Repeated[finishedAt=" + finishedAt + "]";
        }
    }

    /**
     * The effect was skipped because another call is running it and the guard is set to {@link WhenBusy#SKIP}.
     *
     * @param remaining the remaining time of the other call's lease unless it is renewed
     * @param <T> the class of the result
     */
    record Skipped<T extends @Nullable Object>(Duration remaining) implements Outcome<T> {}

    /**
     * The effect ran without a guard: the key extractor returned no key, or the store failed and the guard is set to
     * {@link FailMode#OPEN}.
     *
     * @param result its result
     * @param <T> the class of the result
     */
    record Unguarded<T extends @Nullable Object>(T result) implements Outcome<T> {

        /** {@return the kind of the outcome, without the result} */
        @Override
        public String toString() {
            return "Unguarded[]";
        }
    }
}
