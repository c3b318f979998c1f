package dev.semel.store;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A worker's request for due tasks.
 *
 * @param claim a number that the worker made for this request, never used before; a repeated claim carries the same one
 * @param repeated whether this claim was sent before and its answer was lost
 * @param queues the queues to take from
 * @param types the task types to take, or null for all
 * @param limit the maximum number of tasks to take
 * @param limited how many of these may be taken from queues with a rate limit or a concurrency: as many as can begin at once,
 *     because a task that waits inside a worker has used up its start and its slot
 * @param suspects how many of these may be tasks with a vanished attempt: they may have killed their worker
 * @param bytes the maximum size of their inputs together, in bytes of UTF-8; {@link #ANY_BYTES} for no bound
 * @param lease how long the tasks belong to the worker unless it extends the lease
 * @param worker the worker's name, kept with the attempt
 * @param tenant the only tenant to take tasks of, or null for all
 */
public record ClaimRequest(
        long claim,
        boolean repeated,
        Set<String> queues,
        @Nullable Set<String> types,
        int limit,
        int limited,
        int suspects,
        long bytes,
        Duration lease,
        String worker,
        @Nullable String tenant) {

    /** The maximum number of tasks of one claim. */
    public static final int MAX_LIMIT = 10_000;

    /** No bound on the size of the inputs. */
    public static final long ANY_BYTES = Long.MAX_VALUE;

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
        if (bytes < 1) {
            throw new InvalidInput("A claim takes inputs of 1 byte or more, but got \"" + bytes + "\".");
        }
        Limits.positive("lease", lease);
        Limits.name("worker", worker);
        if (tenant != null) {
            Limits.name("tenant", tenant);
        }
    }

    /**
     * Creates a claim of the tasks of all tenants.
     *
     * @param claim its number
     * @param repeated whether it was sent before
     * @param queues the queues to take from
     * @param types the task types to take, or null for all
     * @param limit the maximum number of tasks to take
     * @param limited how many of these may be taken from queues with limits
     * @param suspects how many of these may be tasks with a vanished attempt
     * @param bytes the maximum size of their inputs together
     * @param lease how long the tasks belong to the worker
     * @param worker the worker's name
     */
    public ClaimRequest(
            long claim,
            boolean repeated,
            Set<String> queues,
            @Nullable Set<String> types,
            int limit,
            int limited,
            int suspects,
            long bytes,
            Duration lease,
            String worker) {
        this(claim, repeated, queues, types, limit, limited, suspects, bytes, lease, worker, null);
    }

    /**
     * Creates a claim that may take all its tasks from queues with limits.
     *
     * @param claim its number
     * @param repeated whether it was sent before
     * @param queues the queues to take from
     * @param types the task types to take, or null for all
     * @param limit the maximum number of tasks to take
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
        this(claim, repeated, queues, types, limit, limit, suspects, ANY_BYTES, lease, worker);
    }

    /**
     * Creates a claim without a bound on the size of the inputs.
     *
     * @param claim its number
     * @param repeated whether it was sent before
     * @param queues the queues to take from
     * @param types the task types to take, or null for all
     * @param limit the maximum number of tasks to take
     * @param limited how many of these may be taken from queues with limits
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
            int limited,
            int suspects,
            Duration lease,
            String worker) {
        this(claim, repeated, queues, types, limit, limited, suspects, ANY_BYTES, lease, worker);
    }

    /**
     * Returns whether the bound on the size of inputs can take effect; otherwise a store can ignore it.
     *
     * @return true if the largest inputs of that many tasks would exceed the bound
     */
    public boolean isBoundByBytes() {
        return (long) limit * Limits.DOCUMENT_BYTES > bytes;
    }

    /**
     * Returns this claim for half of the tasks and bytes, because its answer did not fit into memory.
     *
     * @return the same claim, for at least one task
     */
    public ClaimRequest halved() {
        int half = Math.max(limit / 2, 1);
        return new ClaimRequest(
                claim,
                repeated,
                queues,
                types,
                half,
                Math.min(limited, half),
                Math.min(suspects, half),
                Math.max(bytes / 2, 1),
                lease,
                worker,
                tenant);
    }

    /**
     * Returns this claim as it is sent again after a lost answer.
     *
     * @return the same claim, marked as repeated
     */
    public ClaimRequest again() {
        return repeated
                ? this
                : new ClaimRequest(claim, true, queues, types, limit, limited, suspects, bytes, lease, worker, tenant);
    }

    /**
     * Narrows this claim to one tenant.
     *
     * @param only the tenant
     * @return the same claim, of that tenant's tasks
     */
    public ClaimRequest ofTenant(String only) {
        Limits.notNull("tenant", only);
        return new ClaimRequest(claim, repeated, queues, types, limit, limited, suspects, bytes, lease, worker, only);
    }

    /**
     * Returns whether this claim takes tasks of a tenant and a type.
     *
     * @param ofTenant the tenant
     * @param type the task type
     * @return whether neither is excluded
     */
    public boolean wants(String ofTenant, String type) {
        return (tenant == null || tenant.equals(ofTenant)) && (types == null || types.contains(type));
    }
}
