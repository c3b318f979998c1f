package dev.semel.store;

import dev.semel.task.TaskId;
import java.time.Instant;
import java.util.List;

/**
 * The history of a workflow, or its newest part.
 *
 * @param lines what its code did, in order
 * @param inbox what happened to it, in order
 * @param now the store's time at which it was read
 */
public record History(List<HistoryLine> lines, List<InboxEntry> inbox, Instant now) {

    /** Copies. */
    public History {
        lines = List.copyOf(lines);
        inbox = List.copyOf(inbox);
    }

    /**
     * Returns the number of the newest entry of the inbox.
     *
     * @return its number; 0 if there is none
     */
    public int newestEntry() {
        return inbox.isEmpty() ? 0 : inbox.getLast().number();
    }

    /**
     * A question for the history of a workflow.
     *
     * @param workflow the task of the workflow
     * @param lines how many of its lines are known: only later ones are read
     * @param inbox the number of the newest entry of its inbox that is known: only later ones are read
     */
    public record Query(TaskId workflow, int lines, int inbox) {

        /**
         * Asks for the whole history.
         *
         * @param workflow the task of the workflow
         * @return the question
         */
        public static Query whole(TaskId workflow) {
            return new Query(workflow, 0, 0);
        }
    }
}
