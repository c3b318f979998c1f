package dev.semel.store;

import dev.semel.task.TaskId;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The hints of a transaction: the queues in which it made tasks due, and the tasks that it ended. They are sent to listeners
 * after its commit.
 */
public final class StoreNews {

    // Beyond this number listeners get a hint that tasks ended, without their ids.
    private static final int MOST_IDS = 10_000;

    private final Set<String> dueQueues = new LinkedHashSet<>();
    private final Set<TaskId> endedIds = new LinkedHashSet<>();
    private boolean unknownDue;
    private boolean unknownEnded;

    /** Creates empty hints. */
    public StoreNews() {}

    /**
     * Adds a queue in which a task may be due.
     *
     * @param queue its name
     */
    public void due(String queue) {
        dueQueues.add(queue);
    }

    /**
     * Adds a task that ended.
     *
     * @param id its id
     */
    public void ended(TaskId id) {
        if (endedIds.size() < MOST_IDS) {
            endedIds.add(id);
        } else {
            unknownEnded = true;
        }
    }

    /** Adds that tasks may be due in any queue. */
    public void unknownDue() {
        unknownDue = true;
    }

    /** Adds that tasks have ended, without their ids. */
    public void unknownEnded() {
        unknownEnded = true;
    }

    /**
     * Adds all hints of another transaction.
     *
     * @param more the other hints
     */
    public void add(StoreNews more) {
        dueQueues.addAll(more.dueQueues);
        more.endedIds.forEach(this::ended);
        unknownDue |= more.unknownDue;
        unknownEnded |= more.unknownEnded;
    }

    /**
     * Returns whether tasks may be due.
     *
     * @return true if so
     */
    public boolean hasDue() {
        return unknownDue || !dueQueues.isEmpty();
    }

    /**
     * Returns whether tasks have ended.
     *
     * @return true if so
     */
    public boolean hasEnded() {
        return unknownEnded || !endedIds.isEmpty();
    }

    /**
     * Returns the queues in which tasks may be due.
     *
     * @return their names; empty if they are not known
     */
    public Set<String> dueQueues() {
        return unknownDue ? Set.of() : dueQueues;
    }

    /**
     * Returns the tasks that ended.
     *
     * @return their ids; empty if they are not known
     */
    public Set<TaskId> endedIds() {
        return unknownEnded ? Set.of() : endedIds;
    }
}
