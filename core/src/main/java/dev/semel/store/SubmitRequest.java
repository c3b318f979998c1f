package dev.semel.store;

import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request of a program that submits work: a new task, the cancellation of a task by its id, or a signal to a workflow.
 */
public sealed interface SubmitRequest permits NewTask, SubmitRequest.Cancel, SubmitRequest.Signal {

    /**
     * Ends a task. A pending or waiting task is cancelled at once. For a running one the cancellation is requested: it stays
     * open until its worker ends the attempt or its lease expires.
     *
     * @param taskId the task
     */
    record Cancel(TaskId taskId) implements SubmitRequest {}

    /**
     * Adds an entry to the inbox of a workflow, once for each key.
     *
     * @param taskId the task of the workflow
     * @param key made by the sender, so that a repeated send is recognised
     * @param name the name of the signal
     * @param document what it carries, in JSON; null for nothing
     */
    record Signal(
            TaskId taskId,
            String key,
            String name,
            @Nullable String document) implements SubmitRequest {

        /** Checks the key and the name. */
        public Signal {
            Limits.key(key);
            Limits.storedKey(name);
        }

        /**
         * Returns the entry for this signal.
         *
         * @param now the store's time
         * @return the entry, without a number
         */
        public InboxEntry entry(Instant now) {
            return new InboxEntry(0, name, null, null, key, document, null, now);
        }

        /** {@return the signal without what it carries} */
        @Override
        public String toString() {
            return "Signal[taskId=" + taskId + ", key=" + key + ", name=" + name + "]";
        }
    }

    /**
     * Carries out a batch in its order, consecutive new tasks in one call.
     *
     * @param batch the requests
     * @param submit creates tasks
     * @param cancel cancels one task
     * @param signal delivers one signal
     * @return as many answers as there are requests
     */
    static List<Submitted> inOrder(
            List<? extends SubmitRequest> batch,
            Function<List<NewTask>, List<Submitted>> submit,
            Function<TaskId, Operated> cancel,
            Function<Signal, Submitted.Signalled> signal) {
        List<Submitted> answers = new ArrayList<>(batch.size());
        List<NewTask> together = new ArrayList<>(batch.size());
        for (SubmitRequest request : batch) {
            switch (request) {
                case NewTask task -> together.add(task);
                case Cancel(TaskId id) -> {
                    submitTogether(together, submit, answers);
                    answers.add(Submitted.Cancellation.of(cancel.apply(id)));
                }
                case Signal one -> {
                    submitTogether(together, submit, answers);
                    answers.add(signal.apply(one));
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
