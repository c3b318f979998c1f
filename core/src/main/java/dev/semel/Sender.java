package dev.semel;

import dev.semel.engine.Batcher;
import dev.semel.observe.Span;
import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.ExistingTask;
import dev.semel.task.IdempotencyConflict;
import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.Limits;
import dev.semel.task.SafeLogger;
import dev.semel.task.SemelException;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import dev.semel.task.TaskAlreadyCompleted;
import dev.semel.task.TaskAlreadyExists;
import dev.semel.task.TaskAlreadyFinished;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A sender of requests to a store or into a joined transaction. It converts the answers to submissions or exceptions.
 */
final class Sender {

    private static final SafeLogger LOG = SafeLogger.of(Sender.class);

    /**
     * The maximum number of submissions in one call of the store, so that a batch of thousands does not delay others
     * for long.
     */
    static final int MAX_BATCH = 1_000;

    // Doubled each time: 5 ms to 2.56 s, about 5 s in total.
    private static final long FIRST_WAIT = 5_000_000;
    private static final long LAST_WAIT = FIRST_WAIT << 9;

    private final Semel semel;
    private final Function<NewTask, Submitted> one;
    private final Function<List<NewTask>, List<Submitted>> many;
    private final boolean provisional;
    private final SubmissionTracer tracer;

    Sender(
            Semel semel,
            Function<NewTask, Submitted> one,
            Function<List<NewTask>, List<Submitted>> many,
            boolean provisional) {
        this.semel = semel;
        this.one = one;
        this.many = many;
        this.provisional = provisional;
        this.tracer = semel.tracer();
    }

    <O extends @Nullable Object> Submission<O> send(SubmissionRequest<?, O> request) {
        Span span = tracer.begin(request);
        SubmitOutcome<O> outcome;
        try {
            NewTask task = request.newTask(span.context());
            outcome = outcome(request, task, one.apply(task));
        } catch (RuntimeException e) {
            tracer.failed(span, e);
            throw e;
        }
        tracer.end(span, outcome);
        return outcome.submission();
    }

    <O extends @Nullable Object> List<SubmitOutcome<O>> sendAll(List<? extends SubmissionRequest<?, O>> requests) {
        List<SubmitOutcome<O>> outcomes = new ArrayList<>(requests.size());
        while (outcomes.size() < requests.size()) {
            Span span = tracer.beginBatch(requests.size() - outcomes.size());
            List<SubmitOutcome<O>> answered;
            try {
                answered = sendFrom(outcomes.size(), requests, span);
            } catch (RuntimeException e) {
                tracer.failed(span, e);
                throw e;
            }
            tracer.endBatch(span, answered);
            outcomes.addAll(answered);
        }
        return outcomes;
    }

    /** Sends as many requests as fit into one call. */
    private <O extends @Nullable Object> List<SubmitOutcome<O>> sendFrom(
            int from, List<? extends SubmissionRequest<?, O>> requests, Span span) {
        Part<O> part = part(requests.subList(from, Math.min(requests.size(), from + MAX_BATCH)), span);
        int to = from + part.refused.size();
        boolean whole = to - from == requests.size();
        try {
            return sent(requests.subList(from, to), part);
        } catch (StoreUnavailable e) {
            throw whole ? e : new StoreUnavailable(cutOff(from, to, requests.size()) + e.getMessage(), e);
        } catch (StoreUnusable e) {
            throw whole ? e : new StoreUnusable(cutOff(from, to, requests.size()) + e.getMessage(), e);
        }
    }

    /** Describes the state of a batch that failed in the middle. */
    private String cutOff(int from, int to, int size) {
        String done = from == 0
                ? ""
                : "the first " + from
                        + (provisional
                                ? " are part of the transaction, unless it was rolled back; "
                                : " were answered; ");
        String rest = to == size ? "" : "; the " + (size - to) + " after them were not sent";
        return "Of " + size + " submissions " + done + "whether the next " + (to - from) + " were stored is not known"
                + rest + ". Send the same requests again: each keeps its task id, so none becomes two tasks. ";
    }

    /**
     * The part of a batch that is sent in one call.
     *
     * @param refused for each request, in order, why it is not sent; null if it is sent
     */
    private record Part<O extends @Nullable Object>(List<NewTask> tasks, List<@Nullable SubmitOutcome<O>> refused) {}

    /** Returns the first requests, as many as fit into one call. */
    private <O extends @Nullable Object> Part<O> part(List<? extends SubmissionRequest<?, O>> requests, Span span) {
        List<NewTask> tasks = new ArrayList<>(requests.size());
        List<@Nullable SubmitOutcome<O>> refused = new ArrayList<>(requests.size());
        long bytes = 0;
        for (int i = 0; i < requests.size() && bytes < Batcher.MOST_BYTES; i++) {
            try {
                NewTask task = requests.get(i).newTask(tracer.created(span, requests.get(i)));
                bytes += task.input().length();
                tasks.add(task);
                refused.add(null);
            } catch (SemelException e) {
                refused.add(new SubmitOutcome.Refused<>(e)); // an invalid value affects this item only
            }
        }
        return new Part<>(tasks, refused);
    }

    private <O extends @Nullable Object> List<SubmitOutcome<O>> sent(
            List<? extends SubmissionRequest<?, O>> requests, Part<O> part) {
        List<Submitted> answers = part.tasks.isEmpty() ? List.of() : many.apply(part.tasks);
        List<SubmitOutcome<O>> outcomes = new ArrayList<>(requests.size());
        int next = 0;
        for (int i = 0; i < requests.size(); i++) {
            SubmitOutcome<O> wrong = part.refused.get(i);
            if (wrong != null) {
                outcomes.add(wrong);
            } else {
                outcomes.add(outcome(requests.get(i), part.tasks.get(next), answers.get(next)));
                next++;
            }
        }
        return outcomes;
    }

    private <O extends @Nullable Object> SubmitOutcome<O> outcome(
            SubmissionRequest<?, O> request, NewTask task, Submitted first) {
        return switch (retryWhileBusy(task, first)) {
            case Submitted.Busy() ->
                new SubmitOutcome.Refused<>(new StoreUnavailable("Key \"" + key(task)
                        + "\" is held by a transaction that is still open, so the submission is not"
                        + " decided yet. Send it again."));
            case Submitted.Created(TaskId id, int run, TaskState state, Instant createdAt) ->
                new SubmitOutcome.Accepted<>(new Submission<>(
                        semel.known(request.type(), id), true, run, state, createdAt, false, provisional));
            case Submitted.Returned(ExistingTask existing, boolean differs) -> {
                Identity identity = Objects.requireNonNull(task.key()).identity();
                LOG.debug(
                        "Returned existing task for duplicate submission: key=\"{}\" type=\"{}\" task={}",
                        identity.key(),
                        task.type(),
                        existing.taskId());
                yield new SubmitOutcome.Accepted<>(new Submission<>(
                        semel.known(request.type(), existing.taskId()),
                        false,
                        existing.run(),
                        existing.state(),
                        existing.createdAt(),
                        differs,
                        provisional));
            }
            case Submitted.Rejected(ExistingTask existing, boolean differs) ->
                new SubmitOutcome.Refused<>(rejection(task, existing));
            case Submitted.Conflicted(ExistingTask existing) ->
                new SubmitOutcome.Refused<>(conflict(request, task, existing));
            case Submitted.Cancellation cancellation ->
                throw new IllegalStateException("A submission was answered with " + cancellation);
            case Submitted.Signalled signalled ->
                throw new IllegalStateException("A submission was answered with " + signalled);
        };
    }

    /** Retries an item on its own for as long as an open transaction may reasonably hold its identity. */
    private Submitted retryWhileBusy(NewTask task, Submitted first) {
        Submitted answer = first;
        for (long wait = FIRST_WAIT; answer instanceof Submitted.Busy && wait <= LAST_WAIT; wait *= 2) {
            LockSupport.parkNanos(wait);
            answer = one.apply(task);
        }
        return answer;
    }

    private static SemelException rejection(NewTask task, ExistingTask existing) {
        String what = "Key \"" + key(task) + "\" has task " + existing.taskId() + ", which ";
        Instant ended = existing.finishedAt();
        if (ended == null) {
            return new TaskAlreadyExists(
                    what + "is " + existing.state().word() + ". Wait for it, or use its id.",
                    existing.taskId(),
                    existing.state());
        }
        return existing.state() == TaskState.COMPLETED
                ? new TaskAlreadyCompleted(
                        what + "completed at " + ended + ". Use its result, or another key for other work.",
                        existing.taskId(),
                        ended,
                        existing.result())
                : new TaskAlreadyFinished(
                        what + "ended as " + existing.state().word() + " at " + ended
                                + (existing.state().isDead()
                                        ? ". Redrive it, or use another key."
                                        : ". Use another key, or a policy that runs it again."),
                        existing.taskId(),
                        existing.state(),
                        ended);
    }

    private static SemelException conflict(SubmissionRequest<?, ?> request, NewTask task, ExistingTask existing) {
        InputHash asked = Objects.requireNonNull(task.key()).inputHash();
        String input = existing.input();
        List<String> paths = input == null ? List.of() : request.differingPaths(input, task.input());
        StringBuilder message = new StringBuilder("Key \"")
                .append(key(task))
                .append("\" was used before, by task ")
                .append(existing.taskId());
        if (!existing.type().equals(task.type())) {
            message.append(", with task type \"")
                    .append(existing.type())
                    .append("\" instead of \"")
                    .append(task.type());
            message.append('"');
        }
        if (!existing.inputHash().equals(asked)) {
            message.append(", with different input");
            message.append(paths.isEmpty() ? "" : " (it differs at " + Limits.shown(String.join(", ", paths)) + ")");
        }
        message.append(". Nothing was changed. Use another key, or exclude the fields that change on every retry.");
        return new IdempotencyConflict(
                message.toString(), existing.taskId(), existing.state(), existing.inputHash(), asked, paths);
    }

    private static String key(NewTask task) {
        return Objects.requireNonNull(task.key()).identity().key();
    }
}
