package dev.semel.store;

import dev.semel.task.TaskId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a listing.
 *
 * @param tasks the tasks, newest first; a store may end a page early, even an empty one, where the filter matches little
 * @param next where the next page continues, for {@link TaskQuery#after}; null if there are no more
 */
public record Page(List<Task> tasks, @Nullable TaskId next) {

    /** Copies. */
    public Page {
        tasks = List.copyOf(tasks);
    }
}
