package dev.semel.store;

import dev.semel.task.EffectId;
import dev.semel.task.Identity;
import dev.semel.task.InvalidInput;
import dev.semel.task.Lease;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Every legal move of a task, of a key or of a queue. A new one does not compile until every store handles it. */
public sealed interface Transition {

    /** A move of the worker that holds the lease; refused as stale once the lease has passed to another attempt. */
    sealed interface ByWorker extends Transition {

        /**
         * What fences this move.
         *
         * @return the lease under which the worker acts
         */
        Lease lease();
    }

    /** A move that ends the attempt; an attempt ends once, and repeating the same end is answered as the first time. */
    sealed interface Ending extends ByWorker {

        /**
         * How this move ends the attempt.
         *
         * @return the outcome that is kept with the attempt
         */
        Attempt.Outcome outcome();
    }

    /**
     * The handler returned: the task is completed.
     *
     * @param lease the lease
     * @param result the result in JSON, or null for none
     */
    record Complete(Lease lease, @Nullable String result) implements Ending {
        @Override
        public Attempt.Outcome outcome() {
            return Attempt.Outcome.COMPLETED;
        }
    }

    /**
     * The attempt failed and there is budget left: the task is pending again, with one more failure. If somebody asked
     * for the task to be cancelled, it is cancelled instead.
     *
     * @param lease the lease
     * @param delay how long until it is due again
     * @param error what went wrong
     */
    record Retry(Lease lease, Duration delay, String error) implements Ending {

        /** Checks the delay and cuts the error. */
        public Retry {
            Limits.duration("retry delay", delay);
            error = Limits.error(error);
        }

        @Override
        public Attempt.Outcome outcome() {
            return Attempt.Outcome.RETRIED;
        }
    }

    /**
     * The attempt failed for good: the task is failed or timed out, with one more failure.
     *
     * @param lease the lease
     * @param timedOut whether it ended because the attempt ran too long
     * @param error what went wrong
     */
    record Fail(Lease lease, boolean timedOut, String error) implements Ending {

        /** Cuts the error. */
        public Fail {
            error = Limits.error(error);
        }

        @Override
        public Attempt.Outcome outcome() {
            return timedOut ? Attempt.Outcome.TIMED_OUT : Attempt.Outcome.FAILED;
        }
    }

    /**
     * The attempt did not do its work and nothing is wrong: a snooze, or the shutdown of the worker. The task is pending
     * again and no failure is counted. If somebody asked for the task to be cancelled, it is cancelled instead.
     *
     * @param lease the lease
     * @param delay how long until it is due again
     */
    record PutBack(Lease lease, Duration delay) implements Ending {

        /** Checks the delay. */
        public PutBack {
            Limits.duration("delay", delay);
        }

        @Override
        public Attempt.Outcome outcome() {
            return Attempt.Outcome.PUT_BACK;
        }
    }

    /**
     * The handler ended because it was told of the cancellation: the task is cancelled.
     *
     * @param lease the lease
     */
    record Cancelled(Lease lease) implements Ending {
        @Override
        public Attempt.Outcome outcome() {
            return Attempt.Outcome.CANCELLED;
        }
    }

    /**
     * The worker still works on it: the lease ends later. Also possible after the lease has run out, as long as nobody
     * else has claimed the task.
     *
     * @param lease the lease
     * @param duration how long from now
     */
    record Extend(Lease lease, Duration duration) implements ByWorker {

        /** Checks the duration. */
        public Extend {
            Limits.positive("lease", duration);
        }
    }

    /**
     * The handler is about to run an effect. From the answer on the effect is in progress, and unknown if the attempt ends
     * without an outcome of it. Never applied under an attempt that is over, also if sent again: whoever gets the answer runs
     * the effect.
     *
     * @param lease the lease
     * @param effect the effect, of the task's own lineage
     * @param window for how long the provider knows the effect's token, from the first intent on; null if nobody says
     */
    record Intend(Lease lease, EffectId effect, @Nullable Duration window) implements ByWorker {

        /** Checks the window. */
        public Intend {
            if (window != null) {
                Limits.positive("window of an effect", window);
            }
        }
    }

    /**
     * The handler knows how an effect came out.
     *
     * @param lease the lease
     * @param effect the effect, of the task's own lineage
     * @param outcome how it came out
     */
    record Conclude(Lease lease, EffectId effect, EffectOutcome outcome) implements ByWorker {}

    /**
     * The outcome of an effect is unknown and only a person can say: the attempt ends, no failure is counted, and the task is
     * waiting until somebody resolves the effect. If somebody has meanwhile, it is pending instead; if somebody asked for it
     * to be cancelled, it is cancelled.
     *
     * @param lease the lease
     * @param effect the effect, of the task's own lineage
     * @param reason why it is parked; kept with the attempt and with the effect
     */
    record Park(Lease lease, EffectId effect, String reason) implements Ending {

        /** Cuts the reason. */
        public Park {
            reason = Limits.error(reason);
        }

        @Override
        public Attempt.Outcome outcome() {
            return Attempt.Outcome.PARKED;
        }
    }

    /**
     * A person says what became of an effect whose outcome is unknown. If its task is parked it goes on at once, or fails if
     * the person gives it up.
     *
     * @param effect the effect
     * @param left the attempt that left it unknown, or that parked because of it: it fences off whoever looked earlier
     * @param resolution what the person says
     */
    record Resolve(EffectId effect, Lease left, Resolution resolution) implements Transition {

        /**
         * The error of a task that is given up.
         *
         * @return who gave it up and why
         */
        public String givenUp() {
            return Limits.error("Given up by " + resolution.by() + ", because nobody knows whether effect \""
                    + effect.label() + "\" happened: " + resolution.reason());
        }
    }

    /**
     * Somebody wants the task to end. A pending or waiting task is cancelled at once. A running one is asked to: it stays
     * open until its worker ends the attempt or the lease runs out.
     *
     * @param taskId the task
     */
    record Cancel(TaskId taskId) implements Transition {}

    /**
     * Somebody wants a dead letter to run again, with a fresh budget and as the same task. It takes its key back in the
     * same step, if that is its own still or free.
     *
     * @param taskId the task
     * @param attempt the attempt at which it died: it fences off whoever looked at an earlier death
     */
    record Redrive(TaskId taskId, int attempt) implements Transition {}

    /**
     * Somebody wants a key to be free, so that the next submission makes a new task.
     *
     * @param identity the key
     * @param taskId the task that the key is expected to belong to
     */
    record ReleaseKey(Identity identity, TaskId taskId) implements Transition {}

    /**
     * Submissions were answered with a task instead of making one. The only move that is not safe to repeat: repeated
     * after a lost answer it may count them twice, and only for people to look at.
     *
     * @param identity the key
     * @param taskId the task that was returned; counted only while it holds the key
     * @param count how many there were since the last count
     */
    record CountDuplicates(Identity identity, TaskId taskId, int count) implements Transition {

        /** Checks the count. */
        public CountDuplicates {
            if (count < 1) {
                throw new InvalidInput("A count of duplicates is at least 1, but got \"" + count + "\".");
            }
        }
    }

    /** A move of a queue. Its wishes are absolute, so it may be repeated. */
    sealed interface OfQueue extends Transition {

        /**
         * Which queue.
         *
         * @return its name
         */
        String queue();
    }

    /**
     * A program says what its code and configuration say of a queue.
     *
     * @param queue the queue
     * @param settings what it says, all of it: what an earlier program declared is forgotten
     */
    record DeclareQueue(String queue, QueueSettings settings) implements OfQueue {

        /** Checks the name. */
        public DeclareQueue {
            Limits.name("queue", queue);
        }
    }

    /**
     * Somebody wants a queue to be different from now on, whatever is declared.
     *
     * @param queue the queue
     * @param changes the settings to change; where it says nothing, what was set before stays
     */
    record SetQueue(String queue, QueueSettings changes) implements OfQueue {

        /** Checks the name. */
        public SetQueue {
            Limits.name("queue", queue);
        }
    }

    /**
     * Somebody wants a queue to be as it is declared: what was set at run time, a pause included, is forgotten.
     *
     * @param queue the queue
     */
    record ResetQueue(String queue) implements OfQueue {

        /** Checks the name. */
        public ResetQueue {
            Limits.name("queue", queue);
        }
    }
}
