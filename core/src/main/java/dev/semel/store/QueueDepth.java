package dev.semel.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The number of open tasks and dead letters of a queue, counted at one moment.
 *
 * @param due tasks that can be claimed: pending and due, or running with an expired lease
 * @param delayed pending tasks that are due later
 * @param running running tasks whose lease has not expired
 * @param waiting waiting tasks
 * @param dead dead letters
 * @param oldestDue since when the oldest due task has been due; null if none is due
 */
public record QueueDepth(
        long due,
        long delayed,
        long running,
        long waiting,
        long dead,
        @Nullable Instant oldestDue) {

    /** The depth of a queue without open tasks and dead letters. */
    public static final QueueDepth EMPTY = new QueueDepth(0, 0, 0, 0, 0, null);
}
