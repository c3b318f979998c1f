package dev.semel.store;

import dev.semel.task.Identity;
import dev.semel.task.InvalidInput;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which tasks to list, newest first. A filter that is null lets all pass.
 *
 * @param tenant the tenant
 * @param queue the queue
 * @param type the task type
 * @param states the states; empty lets all pass
 * @param identity the identity: all its runs
 * @param before where the page before ended: only tasks with a smaller id are listed
 * @param limit the most tasks of one page
 */
public record TaskQuery(
        @Nullable String tenant,
        @Nullable String queue,
        @Nullable String type,
        Set<TaskState> states,
        @Nullable Identity identity,
        @Nullable TaskId before,
        int limit) {

    /** The most tasks of one page. */
    public static final int MAX_LIMIT = 1_000;

    /** Checks and copies. */
    public TaskQuery {
        states = Set.copyOf(states);
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new InvalidInput("A page has 1 to " + MAX_LIMIT + " tasks, but got limit \"" + limit + "\".");
        }
    }

    /**
     * All tasks.
     *
     * @param limit the most tasks of one page
     * @return the query
     */
    public static TaskQuery all(int limit) {
        return new TaskQuery(null, null, null, Set.of(), null, null, limit);
    }

    /**
     * All runs of one identity.
     *
     * @param identity the identity
     * @param limit the most tasks of one page
     * @return the query
     */
    public static TaskQuery of(Identity identity, int limit) {
        return new TaskQuery(null, null, null, Set.of(), identity, null, limit);
    }

    /**
     * The same query for the page after this task.
     *
     * @param last the last task of the page before
     * @return the query
     */
    public TaskQuery after(TaskId last) {
        return new TaskQuery(tenant, queue, type, states, identity, last, limit);
    }
}
