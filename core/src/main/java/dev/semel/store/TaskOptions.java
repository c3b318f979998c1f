package dev.semel.store;

import dev.semel.task.Limits;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TraceContext;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options of one task that differ from its type; kept with the task, because the worker may be another program.
 *
 * @param priority 0 to 9; each step is worth a minute of waiting in the order of claims
 * @param retry its own retry policy, or null for the type's
 * @param timeout how long one attempt may run, or null for the type's
 * @param mutex of all tasks of one tenant and type with the same mutex only one runs at a time, over all queues; null for
 *     no mutex
 * @param trace the span of its submission, or null
 * @param workflow what is set for a workflow, or null for a task that is not submitted as one
 */
public record TaskOptions(
        int priority,
        @Nullable RetryPolicy retry,
        @Nullable Duration timeout,
        @Nullable String mutex,
        @Nullable TraceContext trace,
        @Nullable WorkflowOptions workflow) {

    /** No options. */
    public static final TaskOptions NONE = new TaskOptions(0, null, null, null, null, null);

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
     * Creates options without a trace.
     *
     * @param priority 0 to 9
     * @param retry its own retry policy, or null for the type's
     * @param timeout how long one attempt may run, or null for the type's
     * @param mutex the mutex, or null
     */
    public TaskOptions(int priority, @Nullable RetryPolicy retry, @Nullable Duration timeout, @Nullable String mutex) {
        this(priority, retry, timeout, mutex, null, null);
    }

    /**
     * Creates options without a mutex.
     *
     * @param priority 0 to 9
     * @param retry its own retry policy, or null for the type's
     * @param timeout how long one attempt may run, or null for the type's
     */
    public TaskOptions(int priority, @Nullable RetryPolicy retry, @Nullable Duration timeout) {
        this(priority, retry, timeout, null, null, null);
    }

    /**
     * Creates options of a task that is no workflow.
     *
     * @param priority 0 (default) to 9 (first)
     * @param retry the retry policy, or null for that of the type
     * @param timeout the time limit of an attempt, or null for that of the type
     * @param mutex the mutex, or null
     * @param trace the trace context, or null
     */
    public TaskOptions(
            int priority,
            @Nullable RetryPolicy retry,
            @Nullable Duration timeout,
            @Nullable String mutex,
            @Nullable TraceContext trace) {
        this(priority, retry, timeout, mutex, trace, null);
    }
}
