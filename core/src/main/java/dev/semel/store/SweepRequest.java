package dev.semel.store;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.time.Duration;
import java.util.Map;

/**
 * What may go, and how much of it at once.
 *
 * @param retention how long a finished task's data is kept in queues that are not named
 * @param byQueue how long it is kept in queues of their own setting
 * @param deadRetention how long a failed or timed out task is kept, in every queue
 * @param limit the most tasks and the most records that one call removes
 */
public record SweepRequest(Duration retention, Map<String, Duration> byQueue, Duration deadRetention, int limit) {

    /** The most tasks and records that one call removes. */
    public static final int MAX_LIMIT = 10_000;

    /** Checks and copies. */
    public SweepRequest {
        Limits.duration("retention", retention);
        Limits.duration("retention of dead letters", deadRetention);
        byQueue = Map.copyOf(byQueue);
        byQueue.forEach((queue, kept) -> Limits.duration("retention of queue " + queue, kept));
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new InvalidInput("A sweep removes 1 to " + MAX_LIMIT + " at once, but got limit \"" + limit + "\".");
        }
    }
}
