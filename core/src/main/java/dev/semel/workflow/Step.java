package dev.semel.workflow;

import dev.semel.task.TaskId;
import org.jspecify.annotations.Nullable;

/**
 * A step that was started: a task, or a local step.
 *
 * @param <O> the class of its result
 */
public abstract sealed class Step<O extends @Nullable Object> permits TaskStep, LocalStep {

    Step() {}

    /**
     * Waits until the step has ended.
     *
     * @return its result
     * @throws dev.semel.task.TaskUnsuccessful if it ended without success
     */
    public abstract O result();

    /**
     * Returns the task of the step. If the step has a key, this waits until the store has decided about it.
     *
     * @return its id
     * @throws dev.semel.task.InvalidInput if it is a local step, which has no task of its own
     */
    public abstract TaskId taskId();
}
