package dev.semel;

import dev.semel.engine.Batcher;
import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.ExistingTask;
import dev.semel.store.Submitting;
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

/** Sends requests to a store, or into a joined transaction, and turns what it answers into submissions or exceptions. */
final class Sender {

    private static final SafeLogger LOG = SafeLogger.of(Sender.class);

    /** The most submissions in one call of the store, so that a batch of thousands does not keep others waiting long. */
    static final int MAX_BATCH = 1_000;

    // Doubled each time: 5 ms to 2.56 s, some 5 s together.
    private static final long FIRST_WAIT = 5_000_000;
    private static final long LAST_WAIT = FIRST_WAIT << 9;

    private final Semel semel;
    private final Function<NewTask, Submitted> one;
    private final Submitting many;
    private final boolean provisional;

    Sender(Semel semel, Function<NewTask, Submitted> one, Submitting many, boolean provisional) {
        this.semel = semel;
        this.one = one;
        this.many = many;
        this.provisional = provisional;
    }

    <O extends @Nullable Object> Submission<O> send(SubmissionRequest<?, O> request) {
        NewTask task = request.newTask();
        return outcome(request, task, one.apply(task)).submission();
    }

    <O extends @Nullable Object> List<SubmitOutcome<O>> sendAll(List<? extends SubmissionRequest<?, O>> requests) {
        List<SubmitOutcome<O>> outcomes = new ArrayList<>(requests.size());
        while (outcomes.size() < requests.size()) {
            int from = outcomes.size();
            Part<O> part = part(requests.subList(from, Math.min(requests.size(), from + MAX_BATCH)));
            int to = from + part.refused.size();
            boolean whole = to - from == requests.size();
            try {
                outcomes.addAll(sent(requests.subList(from, to), part));
            } catch (StoreUnavailable e) {
                throw whole ? e : new StoreUnavailable(cutOff(from, to, requests.size()) + e.getMessage(), e);
            } catch (StoreUnusable e) {
                throw whole ? e : new StoreUnusable(cutOff(from, to, requests.size()) + e.getMessage(), e);
            }
        }
        return outcomes;
    }

    /** What became of the parts of a batch that failed in the middle. */
    private String cutOff(int from, int to, int size) {
        String done = from == 0
                ? ""
                : "the first " + from
                        + (provisional
                                ? " are part of the transaction, unless that was rolled back; "
                                : " were answered; ");
        String rest = to == size ? "" : "; the " + (size - to) + " after them were not sent";
        return "Of " + size + " submissions " + done + "whether the next " + (to - from) + " were stored is not known"
                + rest + ". Send the same requests again: each keeps its task id, so none becomes two tasks. ";
    }

    /**
     * What goes in one call.
     *
     * @param refused for each request, in order, why it does not go; null if it does
     */
    private record Part<O extends @Nullable Object>(List<NewTask> tasks, List<@Nullable SubmitOutcome<O>> refused) {}

    /** The first of these, as many as one call takes. */
    private <O extends @Nullable Object> Part<O> part(List<? extends SubmissionRequest<?, O>> requests) {
        List<NewTask> tasks = new ArrayList<>(requests.size());
        List<@Nullable SubmitOutcome<O>> refused = new ArrayList<>(requests.size());
        long bytes = 0;
        for (int i = 0; i < requests.size() && bytes < Batcher.MOST_BYTES; i++) {
            try {
                NewTask task = requests.get(i).newTask();
                bytes += task.input().length();
                tasks.add(task);
                refused.add(null);
            } catch (SemelException e) {
                refused.add(new SubmitOutcome.Refused<>(e)); // a wrong value concerns this item alone
            }
        }
        return new Part<>(tasks, refused);
    }

    private <O extends @Nullable Object> List<SubmitOutcome<O>> sent(
            List<? extends SubmissionRequest<?, O>> requests, Part<O> part) {
        List<Submitted> answers = part.tasks.isEmpty() ? List.of() : many.submit(part.tasks);
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
        return switch (patiently(task, first)) {
            case Submitted.Busy() ->
                new SubmitOutcome.Refused<>(
                        new StoreUnavailable("Key \"" + key(task) + "\" is held by a transaction that"
                                + " is still open, so what becomes of the submission is not decided. Send it again."));
            case Submitted.Created(TaskId id, int run, TaskState state, Instant createdAt) ->
                new SubmitOutcome.Accepted<>(new Submission<>(
                        semel.known(request.type(), id), true, run, state, createdAt, false, provisional));
            case Submitted.Returned(ExistingTask existing, boolean differs) -> {
                Identity identity = Objects.requireNonNull(task.key()).identity();
                LOG.debug(
                        "Duplicate of key {} of type {}: answered with task {}",
                        identity.key(),
                        task.type(),
                        existing.taskId());
                semel.duplicates().count(identity, existing.taskId());
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
        };
    }

    /** Sends an item alone, again and again, for as long as an open transaction may reasonably hold its identity. */
    private Submitted patiently(NewTask task, Submitted first) {
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
            message.append(", with other input");
            message.append(paths.isEmpty() ? "" : " (different at " + Limits.shown(String.join(", ", paths)) + ")");
        }
        message.append(". Nothing was changed. Use another key, or leave out the fields that change on every retry.");
        return new IdempotencyConflict(
                message.toString(), existing.taskId(), existing.state(), existing.inputHash(), asked, paths);
    }

    private static String key(NewTask task) {
        return Objects.requireNonNull(task.key()).identity().key();
    }
}
