package dev.semel.store;

import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at a task, as it is kept in the task's history.
 *
 * @param number its number, from 1
 * @param worker the name of the worker
 * @param startedAt when the task was claimed
 * @param endedAt when the attempt ended; for a vanished one, when that was found out; null while it runs
 * @param outcome how it ended, or null while it runs
 * @param error what went wrong, or null
 */
public record Attempt(
        int number,
        String worker,
        Instant startedAt,
        @Nullable Instant endedAt,
        @Nullable Outcome outcome,
        @Nullable String error) {

    /** How an attempt ended. */
    public enum Outcome {
        /** The handler returned. */
        COMPLETED,
        /** It failed, and the task went back for another attempt. */
        RETRIED,
        /** It failed, and the task with it. */
        FAILED,
        /** It ran too long, and the task ended with it. */
        TIMED_OUT,
        /** It was snoozed, or its worker shut down. */
        PUT_BACK,
        /** It ended because nobody knows whether an effect happened; a person is asked. */
        PARKED,
        /** It ended because the task was cancelled. */
        CANCELLED,
        /** Its lease ran out with no word of the worker. */
        VANISHED;

        /**
         * The word for this outcome outside of Java.
         *
         * @return the name in lower case
         */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
