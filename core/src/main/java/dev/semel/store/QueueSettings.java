package dev.semel.store;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.RateLimit;
import dev.semel.task.ReusePolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a queue. A setting that is null is not set; then the next layer applies, and finally the default.
 *
 * @param paused whether no task of it is claimed
 * @param rateLimit how many tasks may start in a span of time; {@link RateLimit#NONE} for no limit
 * @param concurrency how many tasks may run at once, over all workers; 0 for no limit
 * @param retention how long a finished task's data is kept; zero deletes it when the task ends
 * @param idempotencyTtl the window of keys, for types and submissions that do not set one
 * @param reuse the reuse policy, for types and submissions that do not set one
 * @param deadLetterQueue the queue that dead letters are forwarded to; empty for none
 */
public record QueueSettings(
        @Nullable Boolean paused,
        @Nullable RateLimit rateLimit,
        @Nullable Integer concurrency,
        @Nullable Duration retention,
        @Nullable Duration idempotencyTtl,
        @Nullable ReusePolicy reuse,
        @Nullable String deadLetterQueue) {

    /** No settings. */
    public static final QueueSettings NONE = new QueueSettings(null, null, null, null, null, null, null);

    /** The maximum concurrency. */
    public static final int MOST_CONCURRENCY = 100_000;

    /** Checks each setting. */
    public QueueSettings {
        if (concurrency != null && (concurrency < 0 || concurrency > MOST_CONCURRENCY)) {
            throw new InvalidInput("A queue's concurrency is 1 to " + MOST_CONCURRENCY
                    + ", or 0 for no limit, but got \"" + concurrency + "\".");
        }
        if (retention != null) {
            Limits.duration("retention", retention);
        }
        if (idempotencyTtl != null) {
            Limits.positive("idempotency ttl", idempotencyTtl);
        }
        if (deadLetterQueue != null && !deadLetterQueue.isEmpty()) {
            Limits.name("dead-letter queue", deadLetterQueue);
        }
    }

    /**
     * Combines these settings with lower ones.
     *
     * @param below the settings that apply where these are not set
     * @return the combination
     */
    public QueueSettings or(QueueSettings below) {
        return new QueueSettings(
                paused != null ? paused : below.paused,
                rateLimit != null ? rateLimit : below.rateLimit,
                concurrency != null ? concurrency : below.concurrency,
                retention != null ? retention : below.retention,
                idempotencyTtl != null ? idempotencyTtl : below.idempotencyTtl,
                reuse != null ? reuse : below.reuse,
                deadLetterQueue != null ? deadLetterQueue : below.deadLetterQueue);
    }

    /**
     * Returns whether the queue is paused.
     *
     * @return false if that is not set
     */
    public boolean isPaused() {
        return Boolean.TRUE.equals(paused);
    }

    /**
     * Returns the effective rate limit.
     *
     * @return the limit; null for none
     */
    public @Nullable RateLimit startLimit() {
        return rateLimit == null || rateLimit.starts() == 0 ? null : rateLimit;
    }

    /**
     * Returns the effective concurrency.
     *
     * @return the maximum number of tasks that may run at once; {@link Integer#MAX_VALUE} for no limit
     */
    public int mostRunning() {
        return concurrency == null || concurrency == 0 ? Integer.MAX_VALUE : concurrency;
    }

    /**
     * Returns whether a claim has to count the tasks that it takes.
     *
     * @return whether there is a rate limit or a concurrency
     */
    public boolean isLimited() {
        return startLimit() != null || mostRunning() != Integer.MAX_VALUE;
    }

    /**
     * Returns whether a task's data is deleted when the task ends.
     *
     * @return whether the retention is zero
     */
    public boolean keepsNothing() {
        return retention != null && retention.isZero();
    }

    /**
     * Returns the effective dead-letter queue.
     *
     * @return its name; null for none
     */
    public @Nullable String deadLettersTo() {
        return deadLetterQueue == null || deadLetterQueue.isEmpty() ? null : deadLetterQueue;
    }

    /**
     * Returns a builder without settings.
     *
     * @return the builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Collects settings; each is checked as it is set. */
    public static final class Builder {

        private QueueSettings settings = NONE;

        private Builder() {}

        /**
         * Sets whether the queue is paused.
         *
         * @param paused whether no task of it is claimed
         * @return this builder
         */
        public Builder paused(boolean paused) {
            return with(new QueueSettings(paused, null, null, null, null, null, null));
        }

        /**
         * Sets how many tasks may start in a span of time, over all workers together.
         *
         * @param limit for example {@code 100/sec}; {@code none} for no limit
         * @return this builder
         */
        public Builder rateLimit(String limit) {
            return rateLimit(RateLimit.parse(limit));
        }

        /**
         * Sets how many tasks may start in a span of time, over all workers together.
         *
         * @param limit the limit
         * @return this builder
         */
        public Builder rateLimit(RateLimit limit) {
            return with(new QueueSettings(null, Limits.notNull("rate limit", limit), null, null, null, null, null));
        }

        /**
         * Sets how many tasks may run at once, over all workers together.
         *
         * @param tasks the number; 0 for no limit
         * @return this builder
         */
        public Builder concurrency(int tasks) {
            return with(new QueueSettings(null, null, tasks, null, null, null, null));
        }

        /**
         * Sets how long a finished task's data is kept.
         *
         * @param time the time; zero deletes it when the task ends
         * @return this builder
         */
        public Builder retention(Duration time) {
            return with(new QueueSettings(null, null, null, Limits.notNull("retention", time), null, null, null));
        }

        /**
         * Sets the window of keys, for types and submissions that do not set one.
         *
         * @param ttl the window
         * @return this builder
         */
        public Builder idempotencyTtl(Duration ttl) {
            return with(new QueueSettings(null, null, null, null, Limits.notNull("idempotency ttl", ttl), null, null));
        }

        /**
         * Sets the reuse policy, for types and submissions that do not set one.
         *
         * @param policy the policy
         * @return this builder
         */
        public Builder reuse(ReusePolicy policy) {
            return with(new QueueSettings(null, null, null, null, null, Limits.notNull("reuse policy", policy), null));
        }

        /**
         * Sets the queue that dead letters are forwarded to.
         *
         * @param queue its name; empty for none
         * @return this builder
         */
        public Builder deadLetterQueue(String queue) {
            return with(
                    new QueueSettings(null, null, null, null, null, null, Limits.notNull("dead-letter queue", queue)));
        }

        /**
         * Returns the settings.
         *
         * @return the settings
         */
        public QueueSettings build() {
            return settings;
        }

        private Builder with(QueueSettings one) {
            settings = one.or(settings);
            return this;
        }
    }
}
