package dev.semel;

import dev.semel.engine.StepOptions;
import dev.semel.engine.StepPreparer;
import dev.semel.store.NewTask;
import dev.semel.store.Task;
import dev.semel.task.TaskType;

/** Prepares the steps of workflows as this instance prepares submissions: with its configuration, in the tenant of the workflow. */
final class InstanceSteps implements StepPreparer {

    private final Semel semel;

    InstanceSteps(Semel semel) {
        this.semel = semel;
    }

    @Override
    public <I> NewTask prepare(Task workflow, TaskType<I, ?> type, I input, StepOptions options) {
        return semel.submit(type, input).tenant(workflow.tenant()).stepTask(options);
    }
}
