package dev.semel.engine;

import org.jspecify.annotations.Nullable;

/**
 * The user's function that asks a provider whether an effect happened. It may be called more than once, and it may fail:
 * then the attempt fails, and the outcome stays unknown.
 *
 * @param <T> the class of the effect's result
 */
@FunctionalInterface
public interface Probe<T extends @Nullable Object> {

    /**
     * Asks the provider.
     *
     * @param token the token that the effect was called with
     * @return what the provider says
     * @throws Exception if it could not be asked
     */
    Answer<T> ask(String token) throws Exception;

    /**
     * What a provider says of a token.
     *
     * @param <T> the class of the effect's result
     */
    sealed interface Answer<T extends @Nullable Object> {

        /**
         * It happened.
         *
         * @param result the effect's result; it is recorded and returned
         * @param <T> the class of the result
         * @return the answer
         */
        static <T extends @Nullable Object> Answer<T> done(T result) {
            return new Done<>(result);
        }

        /**
         * It did not happen, and will not: the effect runs now.
         *
         * @param <T> the class of the effect's result
         * @return the answer
         */
        static <T extends @Nullable Object> Answer<T> notDone() {
            return new NotDone<>();
        }

        /**
         * The provider cannot tell: the task is parked for a person to find out.
         *
         * @param reason why it cannot tell
         * @param <T> the class of the effect's result
         * @return the answer
         */
        static <T extends @Nullable Object> Answer<T> unknown(String reason) {
            return new Unknown<>(reason);
        }
    }

    /**
     * It happened.
     *
     * @param result the effect's result
     * @param <T> its class
     */
    record Done<T extends @Nullable Object>(T result) implements Answer<T> {}

    /**
     * It did not happen.
     *
     * @param <T> the class of the effect's result
     */
    record NotDone<T extends @Nullable Object>() implements Answer<T> {}

    /**
     * The provider cannot tell.
     *
     * @param reason why not
     * @param <T> the class of the effect's result
     */
    record Unknown<T extends @Nullable Object>(String reason) implements Answer<T> {}
}
