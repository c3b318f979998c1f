package dev.semel.store;

import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** What a redrive does to a task and to its key. The rule is pure, and every store calls it inside its atomic section. */
public sealed interface RedriveDecision {

    /** Nothing changes: the task is not the dead letter that the redrive names. */
    record NotDead() implements RedriveDecision {

        /**
         * The answer to the redrive.
         *
         * @param redrivenBefore whether the attempt that the redrive names was a death of the task, from which it was redriven
         * @return applied if this redrive was sent before, otherwise stale
         */
        public Operated answer(boolean redrivenBefore) {
            return redrivenBefore ? Operated.APPLIED : Operated.STALE;
        }
    }

    /** Nothing changes: another task holds the key, or still runs under it. */
    record Superseded() implements RedriveDecision {}

    /** The task runs again, and its key, if it has one, stays as it is. */
    record Run() implements RedriveDecision {}

    /**
     * The task runs again and still holds its key, whose window begins anew.
     *
     * @param expiresAt when the window ends
     */
    record RunRenewing(Instant expiresAt) implements RedriveDecision {}

    /**
     * The task runs again and takes its key back: the key was free, or its holder has ended and its window has passed.
     *
     * @param series the series of the key's next run, because later runs may be stored under the task's own series
     * @param expiresAt when the window ends
     */
    record RunTaking(TaskId series, Instant expiresAt) implements RedriveDecision {}

    /**
     * The task to redrive.
     *
     * @param id its id
     * @param state its state
     * @param attempt the number of its newest attempt
     * @param createdAt when it was created
     */
    record Letter(TaskId id, TaskState state, int attempt, Instant createdAt) {}

    /**
     * The key that the task was submitted with.
     *
     * @param ttl the length of its window
     * @param holder its holder now, or null if it has none
     * @param formerOpen whether a replaced task of the key still runs
     */
    record Key(Duration ttl, @Nullable KeyHolder holder, boolean formerOpen) {}

    /**
     * Decides about a redrive.
     *
     * @param letter the task
     * @param attempt the attempt with which it died, according to the redrive
     * @param key its key, or null without one
     * @param now the store's time
     * @return the decision; it depends on the arguments only
     */
    static RedriveDecision decide(Letter letter, int attempt, @Nullable Key key, Instant now) {
        if (!letter.state().isDead() || letter.attempt() != attempt) {
            return new NotDead();
        }
        return decide(letter, key, now);
    }

    /**
     * Decides about a task that runs again, whatever its state is.
     *
     * @param letter the task
     * @param key its key, or null without one
     * @param now the store's time
     * @return the decision, which is never {@link NotDead}; it depends on the arguments only
     */
    static RedriveDecision decide(Letter letter, @Nullable Key key, Instant now) {
        if (key == null) {
            return new Run();
        }
        KeyHolder holder = key.holder();
        if (letter.state().isOpen()) {
            return holder != null && holder.taskId().equals(letter.id()) ? new Run() : new Superseded();
        }
        // A task that was replaced and still runs has lost the key, but the two must not run at the same time.
        if (key.formerOpen()) {
            return new Superseded();
        }
        Instant renewed = cut(now.plus(key.ttl()));
        if (holder != null && holder.taskId().equals(letter.id())) {
            return holder.windowPassed(now) ? new RunRenewing(renewed) : new Run();
        }
        if (holder != null && (holder.state().isOpen() || !holder.windowPassed(now))) {
            return new Superseded();
        }
        Instant expiresAt = cut(letter.createdAt().plus(key.ttl()));
        return new RunTaking(
                Series.begunByRedrive(letter.id(), letter.attempt()), expiresAt.isAfter(now) ? expiresAt : renewed);
    }

    private static Instant cut(Instant time) {
        return time.truncatedTo(ChronoUnit.MILLIS);
    }
}
