package dev.semel.store;

import dev.semel.task.TaskId;
import java.util.Collection;

/**
 * A listener for hints that reading the store may be worthwhile. A hint may be needless, repeated, late or lost, so listeners
 * also poll. Called on a thread of the store: return at once.
 */
public interface StoreListener {

    /**
     * Tasks may have become due, or due earlier than known.
     *
     * @param queues the queues; empty if they are not known
     */
    void tasksMayBeDue(Collection<String> queues);

    /**
     * Tasks may have ended.
     *
     * @param ids the tasks; empty if they are not known
     */
    void tasksMayHaveEnded(Collection<TaskId> ids);
}
