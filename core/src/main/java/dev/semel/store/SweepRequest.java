package dev.semel.store;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.util.Map;

/**
 * What a sweep may remove, and how much of it in one call.
 *
 * @param retention how long a finished task's data is kept in queues that are not named
 * @param byQueue how long it is kept in queues with a retention of their own
 * @param workflowRetention the retention of workflows in queues without one of their own
 * @param deadRetention how long a failed or timed out task is kept, in every queue
 * @param limit the maximum number of tasks, and of records, that one call removes; 0 for a sweep that only ends vanished attempts
 *     of tasks whose cancellation was requested, and tasks of which a time limit has passed
 */
public record SweepRequest(
        Duration retention,
        Map<String, Duration> byQueue,
        Duration workflowRetention,
        Duration deadRetention,
        int limit) {

    /** The maximum number of tasks, and of records, that one call removes. */
    public static final int MAX_LIMIT = 10_000;

    /** Checks and copies. */
    public SweepRequest {
        Limits.duration("retention", retention);
        Limits.duration("retention of workflows", workflowRetention);
        Limits.duration("retention of dead letters", deadRetention);
        byQueue = Map.copyOf(byQueue);
        byQueue.forEach((queue, kept) -> Limits.duration("retention of queue " + queue, kept));
        if (limit < 0 || limit > MAX_LIMIT) {
            throw new InvalidInput("A sweep removes 0 to " + MAX_LIMIT + " at once, but got limit \"" + limit + "\".");
        }
    }

    /**
     * Creates a request that keeps workflows as long as other tasks.
     *
     * @param retention the retention of finished tasks in queues without one of their own
     * @param byQueue the retention of queues that have one
     * @param deadRetention the retention of dead letters
     * @param limit the maximum number of tasks, and of records, to remove
     */
    public SweepRequest(Duration retention, Map<String, Duration> byQueue, Duration deadRetention, int limit) {
        this(retention, byQueue, retention, deadRetention, limit);
    }

    /**
     * Returns how long a task is kept after its end.
     *
     * @param queue its queue
     * @param state how it ended
     * @param workflow whether it is a workflow
     * @return its retention
     */
    public Duration retentionOf(String queue, TaskState state, boolean workflow) {
        if (state.isDead()) {
            return deadRetention;
        }
        return byQueue.getOrDefault(queue, workflow ? workflowRetention : retention);
    }

    /** The most vanished attempts that a sweep ends that removes nothing. */
    private static final int MOST_VANISHED = 1_000;

    /**
     * Returns a sweep that removes nothing and only ends vanished attempts of tasks that were asked to cancel, and tasks of which a time limit has
     * passed, in all queues. It is cheap and can be repeated every few seconds.
     *
     * @return the request
     */
    public static SweepRequest ofVanished() {
        return new SweepRequest(Limits.LONGEST, Map.of(), Limits.LONGEST, 0);
    }

    /** {@return whether this sweep removes nothing} */
    public boolean removesNothing() {
        return limit == 0;
    }

    /** {@return the most vanished attempts that this sweep ends} */
    public int vanishedLimit() {
        return removesNothing() ? MOST_VANISHED : limit;
    }
}
