package dev.semel;

import dev.semel.engine.StepOptions;
import dev.semel.engine.StepPreparer;
import dev.semel.observe.Observer;
import dev.semel.observe.SubmitResult;
import dev.semel.store.NewTask;
import dev.semel.store.Task;
import dev.semel.task.TaskId;
import dev.semel.task.TaskType;
import java.util.ArrayList;
import java.util.List;

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

    @Override
    public void answered(List<NewTask> steps, List<TaskId> tasks) {
        Observer observer = semel.observer();
        List<TaskId> existing = new ArrayList<>();
        for (int i = 0; i < steps.size(); i++) {
            NewTask step = steps.get(i);
            boolean own = step.id().equals(tasks.get(i));
            observer.submitted(step.queue(), step.type(), own ? SubmitResult.NEW : SubmitResult.DUPLICATE);
            if (!own) {
                existing.add(tasks.get(i));
            }
        }
        semel.tracer().shared(existing);
    }
}
