package dev.semel.store;

import dev.semel.task.Identity;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A line that is added to the history of a workflow. A new kind does not compile until every store handles it. */
public sealed interface NewLine {

    /**
     * Returns the kind of the line.
     *
     * @return its kind
     */
    HistoryLine.Kind kind();

    /**
     * Returns the name in the line.
     *
     * @return its name
     */
    String name();

    /**
     * Returns the value in the line.
     *
     * @return its value in JSON, or null
     */
    default @Nullable String document() {
        return null;
    }

    /**
     * Returns the identity of the step's key.
     *
     * @return the identity; null for a step without a key, and for a line that starts no step
     */
    default @Nullable Identity identity() {
        return this instanceof Step(NewTask task) && task.key() != null
                ? task.key().identity()
                : null;
    }

    /**
     * A line that changes nothing else.
     *
     * @param kind its kind, neither a step nor an abandoned one
     * @param name its name
     * @param document its value in JSON, or null
     */
    record Note(
            HistoryLine.Kind kind, String name, @Nullable String document) implements NewLine {

        /** Checks the kind. */
        public Note {
            if (kind == HistoryLine.Kind.STEP || kind == HistoryLine.Kind.ABANDONED) {
                throw new IllegalArgumentException("A note is no " + kind.word());
            }
        }

        /** {@return the kind and the name} */
        @Override
        public String toString() {
            return "Note[" + kind.word() + " " + name + "]";
        }
    }

    /**
     * A step: its task is submitted and decided as any other, and watched, in the step that adds the line.
     *
     * @param task the task
     */
    record Step(NewTask task) implements NewLine {
        @Override
        public HistoryLine.Kind kind() {
            return HistoryLine.Kind.STEP;
        }

        @Override
        public String name() {
            return task.type();
        }
    }

    /**
     * Gives a step up. If the workflow created it and no other one watches it, its cancellation is requested, and its end is an
     * entry in the inbox as always. Otherwise it is no longer watched, and an entry says so at once.
     *
     * @param name the task type of the step
     * @param step the step
     */
    record Abandon(String name, TaskId step) implements NewLine {
        @Override
        public HistoryLine.Kind kind() {
            return HistoryLine.Kind.ABANDONED;
        }
    }

    /**
     * Answers a question that was asked by a signal: a line that says where in the code, and an entry in the workflow's own inbox with the answer,
     * unless it has one for that question.
     *
     * @param document where in the code it was answered, in JSON
     * @param question the key of the signal
     * @param answer the answer in JSON; null for none
     * @param rejection why the question is rejected; null if it is not
     */
    record Answer(
            String document,
            String question,
            @Nullable String answer,
            @Nullable String rejection) implements NewLine {

        /** Truncates the rejection. */
        public Answer {
            rejection = rejection == null ? null : Limits.error(rejection);
        }

        /** The name of the line, and of the entry. */
        public static final String NAME = "$answer";

        @Override
        public HistoryLine.Kind kind() {
            return HistoryLine.Kind.VALUE;
        }

        @Override
        public String name() {
            return NAME;
        }

        /**
         * Returns the key of the entry with the answer.
         *
         * @return its key, which is unique in an inbox
         */
        public String entryKey() {
            return entryKey(question);
        }

        /**
         * Returns the key of the entry with the answer to a question.
         *
         * @param question the key of the signal
         * @return its key, which is unique in an inbox
         */
        public static String entryKey(String question) {
            return StoredFlow.ANSWER_KEYS + question;
        }

        /**
         * Returns the entry with the answer. It does not wake a workflow that waits for several steps.
         *
         * @param workflow the task of the workflow
         * @param now the store's time
         * @return the entry, without a number
         */
        public InboxEntry entry(TaskId workflow, Instant now) {
            return new InboxEntry(0, NAME, workflow, TaskState.COMPLETED, entryKey(), answer, rejection, now);
        }

        /** {@return where it was answered, without the answer} */
        @Override
        public String toString() {
            return "Answer[" + document + " " + question + "]";
        }
    }
}
