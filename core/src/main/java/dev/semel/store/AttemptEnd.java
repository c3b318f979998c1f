package dev.semel.store;

import dev.semel.store.Task.Progress;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * What the end of an attempt does to its task. The rule is pure, and every store calls it in the step that ends the attempt.
 *
 * <p>Only {@link #next} depends on whether the cancellation of the task was requested. So a store that sees the request
 * only in the statement that ends the attempt may prepare both cases.
 *
 * @param outcome how the attempt ended, for its line in the history
 * @param error the error in that line and the task's last error from then on; null leaves the task's last error as it was
 * @param failures how many failures are counted: 0 or 1
 * @param vanished how many vanished attempts are counted: 0 or 1
 * @param next what the task becomes
 */
public record AttemptEnd(Attempt.Outcome outcome, @Nullable String error, int failures, int vanished, Next next) {

    /** What a task becomes when its attempt has ended. */
    public sealed interface Next {}

    /**
     * The task has ended.
     *
     * @param state its final state
     * @param result its result in JSON, or null
     */
    public record Ended(TaskState state, @Nullable String result) implements Next {}

    /**
     * The task is pending again. If its attempt vanished, the claim that finds it begins the next attempt in the same step.
     *
     * @param dueAt from when on it can be claimed
     */
    public record Pending(Instant dueAt) implements Next {}

    /** The task waits, with its due time as it was, until an effect is resolved. */
    public record Parked() implements Next {}

    /** The task waits, with its due time as it was, until an entry in its inbox wakes it. */
    public record Listening() implements Next {}

    /**
     * Applies the rule to an end that a worker reports.
     *
     * @param ending what the worker reports
     * @param cancelRequested whether the cancellation of the task was requested
     * @param unresolved whether the outcome of the effect for which the attempt parks is still unknown, or the inbox does not have
     *     what a wait waits for; of no meaning for other ends
     * @param now the store's time
     * @return what it does
     */
    public static AttemptEnd of(Settlement.Ending ending, boolean cancelRequested, boolean unresolved, Instant now) {
        return switch (ending) {
            case Settlement.Complete complete ->
                reported(complete, null, 0, new Ended(TaskState.COMPLETED, complete.result()));
            case Settlement.Retry retry ->
                reported(retry, retry.error(), 1, unless(cancelRequested, pending(now, retry.delay())));
            case Settlement.Fail fail -> {
                TaskState dead = fail.timedOut() ? TaskState.TIMED_OUT : TaskState.FAILED;
                yield reported(fail, fail.error(), 1, unless(cancelRequested, new Ended(dead, null)));
            }
            case Settlement.PutBack putBack ->
                reported(putBack, null, 0, unless(cancelRequested, pending(now, putBack.delay())));
            case Settlement.Park park -> {
                Next next = unresolved ? new Parked() : pending(now, Duration.ZERO);
                yield reported(park, park.reason(), 0, unless(cancelRequested, next));
            }
            case Settlement.Wait wait -> {
                Next next = unresolved ? waiting(wait, now) : pending(now, Duration.ZERO);
                yield reported(wait, wait.error(), 0, unless(cancelRequested, next));
            }
            case Settlement.Continue next ->
                reported(next, null, 0, unless(cancelRequested, pending(now, Duration.ZERO)));
            case Settlement.Cancelled cancelled -> reported(cancelled, null, 0, new Ended(TaskState.CANCELLED, null));
        };
    }

    /**
     * Applies the rule to an attempt whose lease expired without a report from its worker.
     *
     * @param cancelRequested whether the cancellation of the task was requested
     * @param now the store's time
     * @return what it does
     */
    public static AttemptEnd vanished(boolean cancelRequested, Instant now) {
        return new AttemptEnd(
                Attempt.Outcome.VANISHED, null, 0, 1, unless(cancelRequested, pending(now, Duration.ZERO)));
    }

    /**
     * Returns what this end does to a task that was asked to cancel because its time limit has passed: it is timed out where it would be
     * cancelled.
     *
     * @param overdue what its error says then; null for a task that was not asked, or asked for another reason
     * @return this end, or the one that times the task out
     */
    public AttemptEnd ifOverdue(@Nullable String overdue) {
        if (overdue == null || !(next instanceof Ended ended && ended.state() == TaskState.CANCELLED)) {
            return this;
        }
        String both = error == null ? overdue : overdue + " " + error;
        return new AttemptEnd(outcome, both, failures, vanished, new Ended(TaskState.TIMED_OUT, null));
    }

    /**
     * The state of the task from now on.
     *
     * @return a final state, pending, or waiting if the task is parked or waits for its inbox
     */
    public TaskState state() {
        return switch (next) {
            case Ended ended -> ended.state();
            case Pending pending -> TaskState.PENDING;
            case Parked parked -> TaskState.WAITING;
            case Listening listening -> TaskState.WAITING;
        };
    }

    /**
     * Returns whether the attempt is kept with the task: all are, except that of a workflow that waits and has no error.
     *
     * @return whether it is kept
     */
    public boolean isKept() {
        return outcome != Attempt.Outcome.WAITED || error != null || next instanceof Ended;
    }

    /**
     * Returns the progress of the task after this end.
     *
     * @param before its progress while the attempt ran
     * @param now the store's time
     * @return its progress from now on
     */
    public Progress after(Progress before, Instant now) {
        return switch (next) {
            case Ended ended -> progress(before, null, now, ended.result());
            case Pending(Instant dueAt) -> progress(before, dueAt, null, null);
            case Parked() -> progress(before, before.dueAt(), null, null);
            case Listening() -> progress(before, before.dueAt(), null, null);
        };
    }

    private Progress progress(
            Progress before, @Nullable Instant dueAt, @Nullable Instant finishedAt, @Nullable String result) {
        return new Progress(
                state(),
                before.attempt(),
                before.failures() + failures,
                before.vanished() + vanished,
                dueAt,
                before.cancelRequested(),
                finishedAt,
                result,
                error == null ? before.lastError() : error);
    }

    private static AttemptEnd reported(Settlement.Ending ending, @Nullable String error, int failures, Next next) {
        return new AttemptEnd(ending.outcome(), error, failures, 0, next);
    }

    /** If its cancellation was requested, a task is cancelled by every end of its attempt except a completion. */
    private static Next unless(boolean cancelRequested, Next next) {
        return cancelRequested ? new Ended(TaskState.CANCELLED, null) : next;
    }

    /**
     * A workflow that continues by itself at a time is pending until then, so that a claim finds it as any other task that is due
     * later.
     */
    private static Next waiting(Settlement.Wait wait, Instant now) {
        Instant wakeAt = wait.wakeAt();
        if (wakeAt == null) {
            return new Listening();
        }
        return new Pending((wakeAt.isBefore(now) ? now : wakeAt).truncatedTo(ChronoUnit.MILLIS));
    }

    private static Next pending(Instant now, Duration delay) {
        return new Pending(now.plus(delay).truncatedTo(ChronoUnit.MILLIS));
    }
}
