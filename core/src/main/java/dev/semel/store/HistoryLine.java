package dev.semel.store;

import dev.semel.task.TaskId;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A line of a workflow's history: something that its code did, in the order in which it did it.
 *
 * @param number its number, from 1, without gaps
 * @param kind what the code did
 * @param name the task type of a step, or the name of a value, a timer or a signal
 * @param task the step; null for other kinds
 * @param document the recorded value in JSON, or null
 * @param at when it was recorded, by the store's clock
 */
public record HistoryLine(
        int number,
        Kind kind,
        String name,
        @Nullable TaskId task,
        @Nullable String document,
        Instant at) {

    /** What the code of a workflow did. */
    public enum Kind {
        /** It started a step, which is a task. */
        STEP,
        /** It gave a step up. */
        ABANDONED,
        /** It recorded a value, such as a time or a random number. */
        VALUE,
        /** It set a timer. */
        TIMER,
        /** It waited for something with a time limit, and the limit passed. */
        TIMED_OUT,
        /** It was notified of its cancellation. */
        CANCELLED,
        /** It published a value for others to read. */
        PUBLISHED;

        /**
         * Returns the name outside of Java.
         *
         * @return the name in lower case
         */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /**
         * Reads a kind from its word.
         *
         * @param word as {@link #word} gives it
         * @return the kind
         */
        public static Kind parse(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT));
        }
    }

    /** {@return the line without its document} */
    @Override
    public String toString() {
        return "HistoryLine[" + number + " " + kind.word() + " " + name + (task == null ? "" : " " + task) + "]";
    }
}
