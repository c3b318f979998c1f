package dev.semel.engine;

import org.jspecify.annotations.Nullable;

/**
 * The user's function that asks a provider whether an effect happened. It may be called more than once. If it throws,
 * the attempt fails and the outcome stays unknown.
 *
 * @param <T> the class of the effect's result
 */
@FunctionalInterface
public interface Probe<T extends @Nullable Object> {

    /**
     * Asks the provider.
     *
     * @param token the token that the effect was called with
     * @return the provider's answer
     * @throws Exception if the provider could not be asked
     */
    Answer<T> ask(String token) throws Exception;

    /**
     * A provider's answer for a token.
     *
     * @param <T> the class of the effect's result
     */
    sealed interface Answer<T extends @Nullable Object> {

        /**
         * Returns the answer that the effect happened.
         *
         * @param result the effect's result, which is recorded and returned
         * @param <T> the class of the result
         * @return the answer
         */
        static <T extends @Nullable Object> Answer<T> done(T result) {
            return new Done<>(result);
        }

        /**
         * Returns the answer that the effect did not happen and will not happen: the effect runs now.
         *
         * @param <T> the class of the effect's result
         * @return the answer
         */
        static <T extends @Nullable Object> Answer<T> notDone() {
            return new NotDone<>();
        }

        /**
         * Returns the answer that the provider cannot tell: the task is parked until a person resolves the effect.
         *
         * @param reason why the provider cannot tell
         * @param <T> the class of the effect's result
         * @return the answer
         */
        static <T extends @Nullable Object> Answer<T> unknown(String reason) {
            return new Unknown<>(reason);
        }
    }

    /**
     * The answer that the effect happened.
     *
     * @param result the effect's result
     * @param <T> the class of the result
     */
    record Done<T extends @Nullable Object>(T result) implements Answer<T> {}

    /**
     * The answer that the effect did not happen.
     *
     * @param <T> the class of the effect's result
     */
    record NotDone<T extends @Nullable Object>() implements Answer<T> {}

    /**
     * The answer that the provider cannot tell.
     *
     * @param reason why the provider cannot tell
     * @param <T> the class of the effect's result
     */
    record Unknown<T extends @Nullable Object>(String reason) implements Answer<T> {}
}
