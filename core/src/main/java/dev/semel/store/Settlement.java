package dev.semel.store;

import dev.semel.task.EffectId;
import dev.semel.task.Identity;
import dev.semel.task.Lease;
import dev.semel.task.Limits;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a worker reports about a task that it has claimed. Each settlement carries the lease under which the worker acts, and
 * is stale once another attempt has begun. A new kind does not compile until every store handles it.
 */
public sealed interface Settlement {

    /**
     * The fence of this settlement.
     *
     * @return the lease under which the worker acts
     */
    Lease lease();

    /** An end of the attempt. An attempt ends once; the same end sent again is answered as the first time. */
    sealed interface Ending extends Settlement {

        /**
         * Returns how the attempt ends.
         *
         * @return the outcome that is recorded with the attempt
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

        /** {@return the lease, without the result} */
        @Override
        public String toString() {
            return "Complete[" + lease + "]";
        }

        @Override
        public Attempt.Outcome outcome() {
            return Attempt.Outcome.COMPLETED;
        }
    }

    /**
     * The attempt failed and there is budget left: the task is pending again, with one more failure. If its
     * cancellation was requested, the task is cancelled instead.
     *
     * @param lease the lease
     * @param delay how long until it is due again
     * @param error what went wrong
     */
    record Retry(Lease lease, Duration delay, String error) implements Ending {

        /** Checks the delay and truncates the error. */
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

        /** Truncates the error. */
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
     * again and no failure is counted. If its cancellation was requested, the task is cancelled instead.
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
     * The handler ended because its cancellation was requested: the task is cancelled.
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
     * The outcome of an effect is unknown and only a person can resolve it: the attempt ends without a failure, and the task
     * waits until the effect is resolved. If the effect was resolved meanwhile, the task is pending instead; if its cancellation
     * was requested, it is cancelled.
     *
     * @param lease the lease
     * @param effect the effect, of the task's own lineage
     * @param reason why it is parked; kept with the attempt and with the effect
     */
    record Park(Lease lease, EffectId effect, String reason) implements Ending {

        /** Truncates the reason. */
        public Park {
            reason = Limits.error(reason);
        }

        @Override
        public Attempt.Outcome outcome() {
            return Attempt.Outcome.PARKED;
        }
    }

    /**
     * The code of a workflow cannot continue: the attempt ends without a failure, and is not kept unless it has an error. The task is
     * waiting until enough entries have been added to its inbox, or one that is urgent, or it is pending from a time on and can be
     * woken before. If the inbox has what it waits for already, it is pending at once; if its cancellation was requested, it is
     * cancelled.
     *
     * @param lease the lease
     * @param seen the number of the newest entry of the inbox that the code has seen
     * @param more how many further entries it waits for
     * @param wakeAt when it continues at the latest; null for no such time
     * @param error why it cannot continue, if that is not because it waits for something; kept as the task's last error
     */
    record Wait(
            Lease lease,
            int seen,
            int more,
            @Nullable Instant wakeAt,
            @Nullable String error) implements Ending {

        /** Checks the number and truncates the error. */
        public Wait {
            if (more < 1) {
                throw new IllegalArgumentException("Expected to wait for at least 1 entry, but got " + more);
            }
            error = error == null ? null : Limits.error(error);
        }

        @Override
        public Attempt.Outcome outcome() {
            return Attempt.Outcome.WAITED;
        }
    }

    /**
     * The code of a workflow continues as new: the attempt ends without a failure and is not kept, as with a wait, and the next generation of the
     * history begins, with another input and without lines. The task is pending at once. If its cancellation was requested, it is cancelled, and
     * its history stays.
     *
     * @param lease the lease
     * @param seen the number of the newest entry of the inbox that the code has seen
     * @param unread the numbers of those up to there that the new generation gets
     * @param input the new input in JSON
     * @param since from when on the time limit counts
     */
    record Continue(Lease lease, int seen, List<Integer> unread, String input, Instant since) implements Ending {

        /** Checks the input, and copies. */
        public Continue {
            Continuation.check(input);
            unread = List.copyOf(unread);
        }

        @Override
        public Attempt.Outcome outcome() {
            return Attempt.Outcome.WAITED;
        }

        /** {@return the lease and the numbers, without the input} */
        @Override
        public String toString() {
            return "Continue[" + lease + ", seen " + seen + ", unread " + unread + "]";
        }
    }

    /**
     * The code of a workflow went on: its lines are added to the history, its steps are started and watched, and those that it gave
     * up are abandoned, all in one step. It sets the counted failures and vanished attempts of the task to zero. It is never applied
     * under an attempt that has ended, also if sent again: the code that gets the answer goes on.
     *
     * <p>It starts at most one step for each key. A second one might replace the first before that is watched, and its end would never
     * reach the workflow; the second is a part of the next advance.
     *
     * @param lease the lease
     * @param first the number of the first line
     * @param lines the lines, at least one
     */
    record Advance(Lease lease, int first, List<NewLine> lines) implements Settlement {

        /** Copies, and checks the lines. */
        public Advance {
            lines = List.copyOf(lines);
            if (first < 1 || lines.isEmpty()) {
                throw new IllegalArgumentException(
                        "Expected lines from number 1 on, but got " + lines.size() + " from " + first);
            }
            Set<Identity> keys = new HashSet<>();
            for (NewLine line : lines) {
                Identity key = line.identity();
                if (key != null && !keys.add(key)) {
                    throw new IllegalArgumentException(
                            "Expected at most one step for each key in an advance, but got two for " + key);
                }
            }
        }
    }

    /**
     * The worker still runs the task: the lease ends later. Also possible after the lease has expired, as long as no other
     * attempt has begun.
     *
     * @param lease the lease
     * @param duration how long from now
     */
    record Extend(Lease lease, Duration duration) implements Settlement {

        /** Checks the duration. */
        public Extend {
            Limits.positive("lease", duration);
        }
    }

    /**
     * The handler is about to run an effect. From the answer on the effect is in progress; it is unknown if the attempt ends
     * without its outcome. It is never applied under an attempt that has ended, also if sent again: the handler that gets the
     * answer runs the effect.
     *
     * @param lease the lease
     * @param effect the effect, of the task's own lineage
     * @param window for how long the provider knows the effect's token, from the first intent on; null if that is not known
     */
    record Intend(Lease lease, EffectId effect, @Nullable Duration window) implements Settlement {

        /** Checks the window. */
        public Intend {
            if (window != null) {
                Limits.positive("window of an effect", window);
            }
        }
    }

    /**
     * The code of a workflow goes on without the outcome of an effect that only a person can resolve. The attempt does not end: the resolution
     * will be an entry in the inbox of the workflow. It is never applied under an attempt that has ended, also if sent again.
     *
     * @param lease the lease
     * @param effect the effect, of the task's own lineage
     * @param reason why its outcome is not known; kept with the effect
     */
    record Refer(Lease lease, EffectId effect, String reason) implements Settlement {

        /** Truncates the reason. */
        public Refer {
            reason = Limits.error(reason);
        }
    }

    /**
     * The handler reports the outcome of an effect.
     *
     * @param lease the lease
     * @param effect the effect, of the task's own lineage
     * @param outcome the outcome
     */
    record Conclude(Lease lease, EffectId effect, EffectOutcome outcome) implements Settlement {}
}
