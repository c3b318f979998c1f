package dev.semel.store;

import dev.semel.task.Lease;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a claim.
 *
 * @param tasks the tasks that now belong to the worker, in the order in which to run them
 * @param nextDue how long until the next task of these queues and types is due, by the store's clock, where a running one
 *     is due at the end of its lease; zero if some are due already but were not taken, null if none is known
 */
public record Claims(List<Claimed> tasks, @Nullable Duration nextDue) {

    /** Copies. */
    public Claims {
        tasks = List.copyOf(tasks);
    }

    /**
     * A task that belongs to the worker.
     *
     * @param task the task, running
     * @param lease what every write of the worker has to carry
     * @param waited how long it was due when it was claimed, by the store's clock; null if that is not known, as for a claim
     *     that is repeated
     */
    public record Claimed(Task task, Lease lease, @Nullable Duration waited) {

        /**
         * A task of which it is not known how long it was due.
         *
         * @param task the task, running
         * @param lease what every write of the worker has to carry
         */
        public Claimed(Task task, Lease lease) {
            this(task, lease, null);
        }

        // Without the time: it is a measurement, and a repeated claim returns the same tasks without it.
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Claimed claimed && task.equals(claimed.task) && lease.equals(claimed.lease);
        }

        @Override
        public int hashCode() {
            return lease.hashCode();
        }
    }
}
