package dev.semel;

import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.TaskId;
import java.util.List;

/** Restarts workflows. */
record Restarter(TaskStore store) {

    /** Begins the generation that was previewed, and requests the cancellation of those steps that it does not keep. */
    Operated restart(RestartPreview preview) {
        Operated answer = store.operate(
                        List.of(new Operation.Restart(preview.task(), preview.generation(), preview.from())))
                .getFirst();
        if (answer == Operated.APPLIED) {
            cancelSuperseded(preview);
        }
        return answer;
    }

    /**
     * Requests the cancellation of open steps that a restart has not kept. A step with a key is left alone: the new generation may start it
     * again, and then it is the same task.
     */
    void cancelSuperseded(RestartPreview preview) {
        List<TaskId> superseded = preview.steps().stream()
                .filter(step -> !step.isKept() && step.state() == null)
                .map(RestartPreview.Step::task)
                .toList();
        List<SubmitRequest.Cancel> open = store.find(superseded).values().stream()
                .filter(step -> step.state().isOpen() && step.identity() == null)
                .map(Task::id)
                .map(SubmitRequest.Cancel::new)
                .toList();
        for (int sent = 0; sent < open.size(); sent += TaskStore.MAX_BATCH) {
            store.submit(open.subList(sent, Math.min(open.size(), sent + TaskStore.MAX_BATCH)));
        }
    }
}
