package dev.semel.store;

import dev.semel.task.Limits;
import dev.semel.task.RetryPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What one task does differently from its type; kept with the task, because the worker may be another program.
 *
 * @param priority 0 to 9; each step takes the task a minute earlier than its due time says
 * @param retry its own retry policy, or null for the type's
 * @param timeout how long one attempt may run, or null for the type's
 * @param mutex never two tasks of one tenant and type with the same mutex run at once, in whatever queues they are; null
 *     for no such bond
 */
public record TaskOptions(
        int priority,
        @Nullable RetryPolicy retry,
        @Nullable Duration timeout,
        @Nullable String mutex) {

    /** A task that does nothing differently. */
    public static final TaskOptions NONE = new TaskOptions(0, null, null, null);

    /** Checks each option. */
    public TaskOptions {
        Limits.priority(priority);
        if (timeout != null) {
            Limits.positive("timeout", timeout);
        }
        if (mutex != null) {
            Limits.mutex(mutex);
        }
    }

    /**
     * Options without a mutex.
     *
     * @param priority 0 to 9
     * @param retry its own retry policy, or null for the type's
     * @param timeout how long one attempt may run, or null for the type's
     */
    public TaskOptions(int priority, @Nullable RetryPolicy retry, @Nullable Duration timeout) {
        this(priority, retry, timeout, null);
    }
}
