package dev.semel.engine;

import dev.semel.task.Limits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a worker that a configuration contains. For absent settings the code applies. {@link WorkerSettings}
 * and {@link Worker.Builder} say what they mean.
 *
 * @param concurrency how many handlers run at once, or null
 * @param prefetch the most tasks that the worker holds in addition to those that run, or null
 * @param heldBytes the most bytes of inputs and results that the worker holds, or null
 * @param lease the length of a lease, or null
 * @param poll the longest time between two claims, or null
 * @param maxVanished how many attempts of one task may vanish before the task fails, or null
 * @param closeGrace how long closing waits for running handlers, or null
 */
public record WorkerOptions(
        @Nullable Integer concurrency,
        @Nullable Integer prefetch,
        @Nullable Long heldBytes,
        @Nullable Duration lease,
        @Nullable Duration poll,
        @Nullable Integer maxVanished,
        @Nullable Duration closeGrace) {

    /** No settings. */
    public static final WorkerOptions NONE = new WorkerOptions(null, null, null, null, null, null, null);

    /** Validates the settings that are present. */
    public WorkerOptions {
        if (concurrency != null) {
            WorkerSettings.checkConcurrency(concurrency);
        }
        if (prefetch != null) {
            WorkerSettings.checkPrefetch(prefetch);
        }
        if (heldBytes != null) {
            WorkerSettings.checkHeldBytes(heldBytes);
        }
        if (lease != null) {
            WorkerSettings.checkLease(lease);
        }
        if (poll != null) {
            WorkerSettings.checkPoll(poll);
        }
        if (maxVanished != null) {
            WorkerSettings.checkMaxVanished(maxVanished);
        }
        if (closeGrace != null) {
            Limits.duration("close grace", closeGrace);
        }
    }
}
