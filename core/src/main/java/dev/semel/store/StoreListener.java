package dev.semel.store;

import dev.semel.task.TaskId;
import java.util.Collection;

/**
 * Told when looking into the store may be worth while. Only a hint: it may come too often, for nothing, late or never, so
 * whoever listens also looks by itself from time to time. Called on a thread of the store: answer at once.
 */
public interface StoreListener {

    /**
     * Tasks may have become due, or due earlier than known.
     *
     * @param queues in which queues; empty if that is not known
     */
    void tasksMayBeDue(Collection<String> queues);

    /**
     * Tasks may have ended.
     *
     * @param ids which ones; empty if that is not known
     */
    void tasksMayHaveEnded(Collection<TaskId> ids);
}
