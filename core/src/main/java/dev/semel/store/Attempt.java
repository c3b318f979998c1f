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
 * @param endedAt when the attempt ended; for a vanished one, when that was detected; null while it runs
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
        /** It failed, and the task is retried. */
        RETRIED,
        /** It failed, and the task with it. */
        FAILED,
        /** It ran too long, and the task ended with it. */
        TIMED_OUT,
        /** It was snoozed, or its worker shut down. */
        PUT_BACK,
        /** It ended because the outcome of an effect is unknown and only a person can resolve it. */
        PARKED,
        /** It ended because the code of a workflow waits. Such an attempt is kept only if it has an error. */
        WAITED,
        /** It ended because the task was cancelled. */
        CANCELLED,
        /** Its lease expired without a report from the worker. */
        VANISHED;

        /**
         * Returns the name outside of Java.
         *
         * @return the name in lower case
         */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
