package dev.semel.store;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TraceContext;
import java.time.Duration;
import java.util.List;
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
 * @param limits how long it may take as a whole and wait for its first attempt, or null for no limits
 * @param tags words that it can be found by, sorted, each once
 */
public record TaskOptions(
        int priority,
        @Nullable RetryPolicy retry,
        @Nullable Duration timeout,
        @Nullable String mutex,
        @Nullable TraceContext trace,
        @Nullable WorkflowOptions workflow,
        @Nullable TimeLimits limits,
        List<String> tags) {

    /** No options. */
    public static final TaskOptions NONE = new TaskOptions(0, null, null, null, null, null, null, List.of());

    /** Checks each option. */
    public TaskOptions {
        Limits.priority(priority);
        tags = Limits.tags(tags);
        if (timeout != null) {
            Limits.positive("timeout", timeout);
        }
        if (mutex != null) {
            Limits.mutex(mutex);
        }
        if (workflow != null && limits != null && limits.total() != null) {
            throw new InvalidInput("The time limit of a workflow is one of its workflow options, but got \""
                    + limits.total() + "\" among the limits of a task.");
        }
    }

    /**
     * Creates options without time limits.
     *
     * @param priority 0 to 9
     * @param retry its own retry policy, or null for the type's
     * @param timeout how long one attempt may run, or null for the type's
     * @param mutex the mutex, or null
     * @param trace the trace context, or null
     * @param workflow what is set for a workflow, or null
     */
    public TaskOptions(
            int priority,
            @Nullable RetryPolicy retry,
            @Nullable Duration timeout,
            @Nullable String mutex,
            @Nullable TraceContext trace,
            @Nullable WorkflowOptions workflow) {
        this(priority, retry, timeout, mutex, trace, workflow, null, List.of());
    }

    /**
     * Returns these options with other time limits.
     *
     * @param changed the limits, or null for none
     * @return the options
     */
    public TaskOptions withLimits(@Nullable TimeLimits changed) {
        return new TaskOptions(priority, retry, timeout, mutex, trace, workflow, changed, tags);
    }

    /**
     * Returns these options with other tags.
     *
     * @param changed the tags
     * @return the options
     */
    public TaskOptions withTags(List<String> changed) {
        return new TaskOptions(priority, retry, timeout, mutex, trace, workflow, limits, changed);
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
