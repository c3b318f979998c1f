package dev.semel.store;

import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request of a program that submits work: a new task, the cancellation of a task by its id, a signal to a workflow, or a signal together
 * with the start of its workflow.
 */
public sealed interface SubmitRequest
        permits NewTask, SubmitRequest.Cancel, SubmitRequest.Signal, SubmitRequest.SignalWithStart {

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
     * Starts a workflow unless its key has an open one, and adds an entry to the inbox of that workflow, in one step. It is answered as the
     * submission of the task is: if it was created, or an open task was returned, the entry is in its inbox. Otherwise there is no entry. If
     * the inbox of the existing task is full, the answer is {@link Submitted.Signalled#FULL}.
     *
     * @param task the workflow, which has an idempotency key
     * @param key the key of the signal
     * @param name the name of the signal
     * @param document what it carries, in JSON; null for nothing
     */
    record SignalWithStart(
            NewTask task, String key, String name, @Nullable String document) implements SubmitRequest {

        /** Checks the key and the name. */
        public SignalWithStart {
            Limits.key(key);
            Limits.storedKey(name);
        }

        /**
         * Returns the signal for the task that the start was answered with.
         *
         * @param answer the answer to the submission of the task
         * @return the signal; empty if there is no task that could get it
         */
        public Optional<Signal> signal(Submitted answer) {
            return switch (answer) {
                case Submitted.Created created -> Optional.of(to(created.taskId()));
                case Submitted.Returned(Submitted.ExistingTask existing, boolean differs) ->
                    existing.state().isOpen() ? Optional.of(to(existing.taskId())) : Optional.empty();
                case Submitted.Rejected rejected -> Optional.empty();
                case Submitted.Conflicted conflicted -> Optional.empty();
                case Submitted.Busy busy -> Optional.empty();
                case Submitted.Cancellation cancellation ->
                    throw new IllegalStateException("A start was answered with " + cancellation);
                case Submitted.Signalled signalled ->
                    throw new IllegalStateException("A start was answered with " + signalled);
            };
        }

        private Signal to(TaskId workflow) {
            return new Signal(workflow, key, name, document);
        }

        /** {@return the start and the signal without what it carries} */
        @Override
        public String toString() {
            return "SignalWithStart[task=" + task.id() + ", key=" + key + ", name=" + name + "]";
        }
    }

    /** What a store does with requests that it carries out one by one. */
    interface Single {

        /**
         * Cancels a task.
         *
         * @param task the task
         * @return the answer
         */
        Operated cancel(TaskId task);

        /**
         * Delivers a signal.
         *
         * @param signal the signal
         * @return the answer
         */
        Submitted.Signalled signal(Signal signal);

        /**
         * Starts a workflow and delivers a signal to it, in one step.
         *
         * @param start both
         * @return the answer
         */
        Submitted start(SignalWithStart start);
    }

    /**
     * Carries out a batch in its order, consecutive new tasks in one call.
     *
     * @param batch the requests
     * @param submit creates tasks
     * @param single carries out all others
     * @return as many answers as there are requests
     */
    static List<Submitted> inOrder(
            List<? extends SubmitRequest> batch, Function<List<NewTask>, List<Submitted>> submit, Single single) {
        List<Submitted> answers = new ArrayList<>(batch.size());
        List<NewTask> together = new ArrayList<>(batch.size());
        for (SubmitRequest request : batch) {
            switch (request) {
                case NewTask task -> together.add(task);
                case Cancel(TaskId id) -> {
                    submitTogether(together, submit, answers);
                    answers.add(Submitted.Cancellation.of(single.cancel(id)));
                }
                case Signal one -> {
                    submitTogether(together, submit, answers);
                    answers.add(single.signal(one));
                }
                case SignalWithStart one -> {
                    submitTogether(together, submit, answers);
                    answers.add(single.start(one));
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
