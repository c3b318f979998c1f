package dev.semel.store;

import dev.semel.task.TaskId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A request of a program that submits work: a new task, or the cancellation of a task by its id. A signal to a workflow will be
 * a third one.
 */
public sealed interface SubmitRequest permits NewTask, SubmitRequest.Cancel {

    /**
     * Ends a task. A pending or waiting task is cancelled at once. For a running one the cancellation is requested: it stays
     * open until its worker ends the attempt or its lease expires.
     *
     * @param taskId the task
     */
    record Cancel(TaskId taskId) implements SubmitRequest {}

    /**
     * Carries out a batch in its order, consecutive new tasks in one call.
     *
     * @param batch the requests
     * @param submit creates tasks
     * @param cancel cancels one task
     * @return as many answers as there are requests
     */
    static List<Submitted> inOrder(
            List<? extends SubmitRequest> batch,
            Function<List<NewTask>, List<Submitted>> submit,
            Function<TaskId, Operated> cancel) {
        List<Submitted> answers = new ArrayList<>(batch.size());
        List<NewTask> together = new ArrayList<>(batch.size());
        for (SubmitRequest request : batch) {
            switch (request) {
                case NewTask task -> together.add(task);
                case Cancel(TaskId id) -> {
                    submitTogether(together, submit, answers);
                    answers.add(Submitted.Cancellation.of(cancel.apply(id)));
                }
            }
        }
        submitTogether(together, submit, answers);
        return answers;
    }

    private static void submitTogether(
            List<NewTask> together, Function<List<NewTask>, List<Submitted>> submit, List<Submitted> answers) {
        if (!together.isEmpty()) {
            answers.addAll(submit.apply(List.copyOf(together)));
            together.clear();
        }
    }
}
