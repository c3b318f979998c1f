package dev.semel.store;

import dev.semel.task.InvalidInput;
import dev.semel.task.ScheduleId;
import org.jspecify.annotations.Nullable;

/**
 * Which schedules to list, in order of their ids.
 *
 * @param tenant the tenant, or null for all
 * @param after the last schedule of the page before, or null for the first page
 * @param limit page size, 1 to {@link #MAX_LIMIT}
 */
public record ScheduleQuery(
        @Nullable String tenant, @Nullable ScheduleId after, int limit) {

    /** The maximum page size. */
    public static final int MAX_LIMIT = 1_000;

    /** Checks the page size. */
    public ScheduleQuery {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new InvalidInput("The page size is 1 to " + MAX_LIMIT + ", but got \"" + limit + "\".");
        }
    }
}
