package dev.semel.store;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A worker's wish for due tasks.
 *
 * @param claim a number that the worker made for this wish, never used before; a repeated claim carries the same one
 * @param repeated whether this claim was sent before and its answer was lost
 * @param queues the queues to take from
 * @param types the task types to take, or null for all
 * @param limit the most tasks to take
 * @param limited how many of these may come from queues with a rate limit or a concurrency: as many as can begin at once,
 *     because what waits for its turn in a worker has used up its place
 * @param suspects how many of these may be tasks with a vanished attempt: they may have killed their worker
 * @param lease how long the tasks belong to the worker unless it extends that
 * @param worker the worker's name, kept with the attempt
 */
public record ClaimRequest(
        long claim,
        boolean repeated,
        Set<String> queues,
        @Nullable Set<String> types,
        int limit,
        int limited,
        int suspects,
        Duration lease,
        String worker) {

    /** The most tasks that one claim takes. */
    public static final int MAX_LIMIT = 10_000;

    /** Checks and copies. */
    public ClaimRequest {
        queues = Set.copyOf(queues);
        types = types == null ? null : Set.copyOf(types);
        if (queues.isEmpty()) {
            throw new InvalidInput("A claim names at least one queue, but got none.");
        }
        if (limit < 1 || limit > MAX_LIMIT || suspects < 0 || suspects > limit || limited < 1 || limited > limit) {
            throw new InvalidInput("A claim takes 1 to " + MAX_LIMIT
                    + " tasks, of which 1 to all may be limited and 0 to"
                    + " all suspects, but got limit \"" + limit + "\", limited \"" + limited + "\" and suspects \""
                    + suspects + "\".");
        }
        Limits.positive("lease", lease);
        Limits.name("worker", worker);
    }

    /**
     * A claim that may take all it takes from queues with limits.
     *
     * @param claim its number
     * @param repeated whether it was sent before
     * @param queues the queues to take from
     * @param types the task types to take, or null for all
     * @param limit the most tasks to take
     * @param suspects how many of these may be tasks with a vanished attempt
     * @param lease how long the tasks belong to the worker
     * @param worker the worker's name
     */
    public ClaimRequest(
            long claim,
            boolean repeated,
            Set<String> queues,
            @Nullable Set<String> types,
            int limit,
            int suspects,
            Duration lease,
            String worker) {
        this(claim, repeated, queues, types, limit, limit, suspects, lease, worker);
    }

    /**
     * This claim, sent again because its answer was lost.
     *
     * @return the same claim, marked as repeated
     */
    public ClaimRequest again() {
        return repeated ? this : new ClaimRequest(claim, true, queues, types, limit, limited, suspects, lease, worker);
    }
}
