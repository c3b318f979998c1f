package dev.semel.store;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * How long a task may take as a whole, and how long it may wait for its first attempt. Both count by the store's clock, from the creation of
 * the task or from its last redrive. {@link TimeLimitDecision} says what happens when they pass.
 *
 * @param total how long until the task is ended, or null for no limit; that of a workflow is in its {@link WorkflowOptions}
 * @param startBy how long until its first attempt must have begun, or null for no limit
 * @param since how long after the creation of the task both begin to count: zero, or until its last redrive
 * @param attempt the number of its newest attempt at that time; a higher one means that the task has started
 */
public record TimeLimits(@Nullable Duration total, @Nullable Duration startBy, Duration since, int attempt) {

    /** Checks the limits. */
    public TimeLimits {
        if (total == null && startBy == null) {
            throw new InvalidInput("Time limits have a total, a start-by or both, but got neither.");
        }
        if (total != null) {
            Limits.positive("time limit", total);
        }
        if (startBy != null) {
            Limits.positive("start-by", startBy);
        }
        if (total != null && startBy != null && startBy.compareTo(total) > 0) {
            throw new InvalidInput("A task starts within its time limit, but got start-by \"" + startBy
                    + "\" and time limit \"" + total + "\". Set a shorter start-by or a longer time limit.");
        }
        Limits.duration("time until a redrive", since);
        if (attempt < 0) {
            throw new InvalidInput("An attempt has a number from 0 on, but got \"" + attempt + "\".");
        }
    }

    /**
     * Returns the limits of a new task.
     *
     * @param total how long until it is ended, or null
     * @param startBy how long until its first attempt must have begun, or null
     * @return the limits, or null if there are none
     */
    public static @Nullable TimeLimits of(@Nullable Duration total, @Nullable Duration startBy) {
        return total == null && startBy == null ? null : new TimeLimits(total, startBy, Duration.ZERO, 0);
    }

    /**
     * Returns fresh limits for a redriven task.
     *
     * @param createdAt when the task was created
     * @param newest the number of its newest attempt
     * @param now the store's time
     * @return the same limits, counted from now
     */
    public TimeLimits redriven(Instant createdAt, int newest, Instant now) {
        Duration until = Duration.between(createdAt, now);
        return new TimeLimits(total, startBy, until.isNegative() ? Duration.ZERO : until, newest);
    }

    /**
     * Returns when the time limit passes.
     *
     * @param createdAt when the task was created
     * @return the time, or null without a total
     */
    public @Nullable Instant deadline(Instant createdAt) {
        return total == null ? null : after(createdAt, total);
    }

    /**
     * Returns by when the first attempt must have begun.
     *
     * @param createdAt when the task was created
     * @return the time, or null without a start-by
     */
    public @Nullable Instant startBy(Instant createdAt) {
        return startBy == null ? null : after(createdAt, startBy);
    }

    /**
     * Returns when a store has to look at the task next.
     *
     * @param createdAt when the task was created
     * @param newest the number of its newest attempt
     * @return the time, or null if nothing is left that could pass
     */
    public @Nullable Instant next(Instant createdAt, int newest) {
        Instant start = newest > attempt ? null : startBy(createdAt);
        return start != null ? start : deadline(createdAt);
    }

    private Instant after(Instant createdAt, Duration limit) {
        return createdAt.plus(since).plus(limit).truncatedTo(ChronoUnit.MILLIS);
    }
}
