package dev.semel.engine;

import dev.semel.store.NewTask;
import dev.semel.store.Task;
import dev.semel.task.TaskId;
import dev.semel.task.TaskType;
import java.util.List;

/** The preparation of steps: it turns a task type, an input and options into a task to submit. */
@FunctionalInterface
public interface StepPreparer {

    /**
     * Prepares a step.
     *
     * @param workflow the task of the workflow
     * @param type the task type of the step
     * @param input its input
     * @param options what differs from the type
     * @param <I> the class of the input
     * @return the task, with an id of its own
     */
    <I> NewTask prepare(Task workflow, TaskType<I, ?> type, I input, StepOptions options);

    /**
     * Called when steps were started: on the thread of the workflow's code, or by a step of the worker's host if that did not wait for it. It must
     * neither wait nor throw.
     *
     * @param steps the prepared steps
     * @param tasks the task of each, in order: its own, or one that existed before and has its key
     */
    default void answered(List<NewTask> steps, List<TaskId> tasks) {}
}
