package dev.semel.store;

import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.ReusePolicy;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A task as it is submitted.
 *
 * @param id created by the submitting program, so that a repeated send is recognised
 * @param tenant the tenant
 * @param queue the queue
 * @param type the name of the task type
 * @param input the input in JSON
 * @param start when the task may start
 * @param options what this task does differently from its type
 * @param key its idempotency key, or null for none: then there is no record and no cost
 */
public record NewTask(
        TaskId id,
        String tenant,
        String queue,
        String type,
        String input,
        Start start,
        TaskOptions options,
        @Nullable KeyRequest key)
        implements SubmitRequest {

    /** Checks the names. */
    public NewTask {
        Limits.name("tenant", tenant);
        Limits.name("queue", queue);
        Limits.name("task type", type);
        if (key != null && !key.identity().tenant().equals(tenant)) {
            throw new InvalidInput("A task and its key belong to one tenant, but got \"" + tenant + "\" and \""
                    + key.identity().tenant() + "\".");
        }
        TimeLimits limits = options.limits();
        if (limits != null
                && start instanceof Start.After(Duration delay)
                && !delay.isZero()
                && isWithin(limits, delay)) {
            throw new InvalidInput(
                    "A task starts after its delay and before its start-by and time limit have passed, but got delay \""
                            + delay + "\", start-by \"" + limits.startBy() + "\" and time limit \"" + limits.total()
                            + "\".");
        }
    }

    private static boolean isWithin(TimeLimits limits, Duration delay) {
        Duration first = limits.startBy() != null ? limits.startBy() : limits.total();
        return first != null && first.compareTo(delay) <= 0;
    }

    /** When a task may start, by the store's clock. */
    public sealed interface Start {

        /**
         * Returns the start as soon as a worker is free.
         *
         * @return the start
         */
        static Start now() {
            return new After(Duration.ZERO);
        }

        /**
         * After a time, counted from the moment of acceptance.
         *
         * @param delay the time to wait
         */
        record After(Duration delay) implements Start {

            /** Checks the delay. */
            public After {
                Limits.duration("delay", delay);
            }
        }

        /**
         * At a time, or at once if that time has passed.
         *
         * @param time the time
         */
        record At(Instant time) implements Start {

            private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

            /** Checks the time. */
            public At {
                if (time.isAfter(LATEST)) {
                    throw new InvalidInput("A task starts before the year 10000, but got \"" + time + "\".");
                }
            }
        }

        /**
         * Returns the time from which the task is due.
         *
         * @param now the store's time
         * @return that time; never before now
         */
        default Instant dueAt(Instant now) {
            return switch (this) {
                case After(Duration delay) -> now.plus(delay);
                case At(Instant time) -> time.isBefore(now) ? now : time;
            };
        }
    }

    /**
     * The idempotency key of a submission and what it means.
     *
     * @param identity tenant, scope and key
     * @param inputHash the hash that later submissions of the key are compared with
     * @param ttl how long the record answers for the identity, counted from the creation of the task
     * @param policy what happens to the submission if the identity has a task already
     */
    public record KeyRequest(Identity identity, InputHash inputHash, Duration ttl, ReusePolicy policy) {

        /** Checks the window. */
        public KeyRequest {
            Limits.positive("idempotency ttl", ttl);
        }
    }

    /** {@return what identifies the task, without its input} */
    @Override
    public String toString() {
        return "NewTask[id=" + id + ", tenant=" + tenant + ", queue=" + queue + ", type=" + type + ", start=" + start
                + ", options=" + options + ", key=" + key + "]";
    }
}
