package dev.semel.observe;

import dev.semel.task.TaskId;
import dev.semel.task.TraceContext;
import org.jspecify.annotations.Nullable;

/**
 * An attempt whose span begins.
 *
 * @param id the id of the task
 * @param queue its queue
 * @param type the name of its type
 * @param attempt the number of the attempt
 * @param submitted the span of the submission, or null
 * @param first the span of the first attempt that failed, or null if there was none or it is not known
 */
public record TracedAttempt(
        TaskId id,
        String queue,
        String type,
        int attempt,
        @Nullable TraceContext submitted,
        @Nullable TraceContext first) {}
