package dev.semel.store;

import dev.semel.task.Limits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options of a task that is a workflow. A task without them can be run as one as well; then a store knows of it from its first line,
 * entry or wait on.
 *
 * @param timeLimit how long after its creation the workflow is told to end, or null for no limit
 */
public record WorkflowOptions(@Nullable Duration timeLimit) {

    /** A workflow without a time limit. */
    public static final WorkflowOptions UNLIMITED = new WorkflowOptions(null);

    /** Checks the limit. */
    public WorkflowOptions {
        if (timeLimit != null) {
            Limits.positive("time limit", timeLimit);
        }
    }
}
