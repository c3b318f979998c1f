package dev.semel.store;

import dev.semel.task.Identity;
import dev.semel.task.TaskId;
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
}
