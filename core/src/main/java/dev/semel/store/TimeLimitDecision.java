package dev.semel.store;

import dev.semel.task.TaskState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What the passing of time does to a task with time limits. The rule is pure, and every store calls it inside its atomic section when the time
 * has come at which it was to look at the task.
 */
public sealed interface TimeLimitDecision {

    /** Nothing, now and later: the task has ended, its cancellation was requested, or it has started and has no limit as a whole. */
    record Nothing() implements TimeLimitDecision {}

    /**
     * Nothing yet.
     *
     * @param at when to look again
     */
    record Later(Instant at) implements TimeLimitDecision {}

    /**
     * The task, which does not run, ends as timed out. Its end takes the next number of its attempts, so that a redrive can name it.
     *
     * @param error its error
     */
    record Expire(String error) implements TimeLimitDecision {}

    /**
     * The task, which runs, is asked to cancel, and ends as timed out where a cancelled one would end as cancelled.
     *
     * @param error what its error says in that case
     */
    record Stop(String error) implements TimeLimitDecision {}

    /**
     * Decides.
     *
     * @param limits the limits of the task, or null for none
     * @param createdAt when it was created
     * @param state its state
     * @param attempt the number of its newest attempt
     * @param cancelRequested whether its cancellation was requested
     * @param now the store's time
     * @return the decision; it depends on the arguments only
     */
    static TimeLimitDecision decide(
            @Nullable TimeLimits limits,
            Instant createdAt,
            TaskState state,
            int attempt,
            boolean cancelRequested,
            Instant now) {
        boolean running = state == TaskState.RUNNING;
        if (limits == null || !state.isOpen() || (running && cancelRequested)) {
            return new Nothing();
        }
        Instant next = limits.next(createdAt, attempt);
        if (next == null) {
            return new Nothing();
        }
        if (now.isBefore(next)) {
            return new Later(next);
        }
        Instant deadline = limits.deadline(createdAt);
        String error = deadline != null && !now.isBefore(deadline)
                ? "The time limit passed at " + deadline + started(limits, attempt)
                : "Not started by " + next + ".";
        return running ? new Stop(error) : new Expire(error);
    }

    private static String started(TimeLimits limits, int attempt) {
        return attempt > limits.attempt() ? "." : ", and the task had not started.";
    }

    /**
     * Decides about a task.
     *
     * @param task the task
     * @param now the store's time
     * @return the decision
     */
    static TimeLimitDecision decide(Task task, Instant now) {
        return decide(
                task.options().limits(),
                task.createdAt(),
                task.state(),
                task.progress().attempt(),
                task.progress().cancelRequested(),
                now);
    }
}
