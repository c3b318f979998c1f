package dev.semel.guard;

import dev.semel.task.CheckObserver;
import dev.semel.task.CheckReturnValue;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.security.SecureRandom;
import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A guard that runs effects once for each (tenant, key) in any code: in a message listener, a servlet, a scheduled job.
 * It is safe for use by several threads. One guard for each kind of effect is enough, and several guards can share a
 * store.
 *
 * <p>The documentation of this package describes what a guard can and cannot guarantee.
 */
public final class Guard implements AutoCloseable {

    private final GuardSettings settings;
    private final GuardRunner runner;
    private final @Nullable Renewals renewals;

    private Guard(Builder builder) {
        this.settings = builder.settings;
        Renewals own = new Renewals(builder.store, settings.lease(), builder.sweepEvery);
        this.renewals = own;
        this.runner = new GuardRunner(
                builder.store,
                builder.codec,
                builder.random,
                builder.observer,
                new FinishedKeys(builder.remembered, builder.nanos),
                builder.nanos,
                own);
    }

    private Guard(GuardSettings settings, GuardRunner runner) {
        this.settings = settings;
        this.runner = runner;
        this.renewals = null;
    }

    /**
     * Returns a builder for a guard on a store.
     *
     * @param store the store of the outcomes; closing the guard does not close it
     * @return the builder
     */
    @CheckReturnValue
    public static Builder on(GuardStore store) {
        return new Builder(Arguments.notNull("store", store));
    }

    /**
     * Runs an effect unless it has happened under this key, and returns its result or the stored one.
     *
     * @param key the key: 1 to 255 characters; an empty or blank one is an error
     * @param type the class of the result
     * @param effect the effect
     * @param <T> the class of the result
     * @param <X> the exception of the effect
     * @return the result; null if the effect was skipped because of {@link WhenBusy#SKIP}
     * @throws X if the effect failed; the next call runs it again
     * @throws InProgress if another call is running the effect
     * @throws OutcomeNotRecorded if the effect ran, but its outcome could not be recorded
     * @throws ResultNotStored if the effect has happened before, but its result could not be stored
     * @throws dev.semel.task.StoreUnavailable if the store failed and the effect was not run
     */
    public <T extends @Nullable Object, X extends Exception> T once(String key, Class<T> type, Effect<T, X> effect)
            throws X {
        return call(key).once(type, effect);
    }

    /**
     * Runs an effect without a result unless it has happened under this key.
     *
     * @param key the key: 1 to 255 characters; an empty or blank one is an error
     * @param action the effect
     * @param <X> the exception of the effect
     * @return whether this call ran the effect
     * @throws X if the effect failed; the next call runs it again
     */
    @SuppressWarnings("NullAway") // the class is the same whether null is one of its values or not
    public <X extends Exception> boolean run(String key, GuardedAction<X> action) throws X {
        GuardedAction<X> given = Arguments.notNull("action", action);
        Outcome<@Nullable Object> outcome = call(key).outcome(Object.class, token -> {
            given.run(token);
            return null;
        });
        return outcome instanceof Outcome.Ran || outcome instanceof Outcome.Unguarded;
    }

    /**
     * Prepares a call with its own settings: a tenant, a ttl, a payload to compare.
     *
     * @param key the key: 1 to 255 characters; an empty or blank one is an error
     * @return the call, which does nothing until {@link GuardCall#once} or {@link GuardCall#outcome}
     */
    public GuardCall call(String key) {
        return new GuardCall(runner, settings, Limits.key(Arguments.notNull("key", key)));
    }

    /**
     * Prepares a call whose key is extracted from its input. The input is compared if {@link Builder#checkPayload} is
     * set.
     *
     * @param key the extractor of the key
     * @param input the input
     * @param <I> the class of the input
     * @return the call, which does nothing until {@link GuardCall#once} or {@link GuardCall#outcome}
     * @throws InvalidInput if the extractor failed or returned null
     */
    public <I> GuardCall call(KeyExtractor<? super I> key, I input) {
        GuardCall call =
                new GuardCall(runner, settings, KeyExtractor.keyOf(Arguments.notNull("key extractor", key), input));
        return settings.checkPayload() ? call.payload(input) : call;
    }

    /**
     * Returns a function that runs once for each key that an extractor finds in its input.
     *
     * @param key the extractor of the key; if it fails, the call fails
     * @param type the class of the result
     * @param handler the function to wrap
     * @param <I> the class of the input
     * @param <T> the class of the result
     * @param <X> the exception of the handler
     * @return the function; it throws what {@link #once} throws
     */
    public <I, T extends @Nullable Object, X extends Exception> GuardedFunction<I, T, X> wrap(
            KeyExtractor<? super I> key, Class<T> type, GuardedHandler<? super I, T, X> handler) {
        Arguments.notNull("key extractor", key);
        Arguments.notNull("class of the result", type);
        Arguments.notNull("handler", handler);
        return input -> call(key, input).once(type, token -> handler.handle(input, token));
    }

    /**
     * Looks up a stored result of this guard's tenant.
     *
     * @param key the key
     * @param type the class of the result
     * @param <T> the class of the result
     * @return the result; empty if the effect has not happened, or its entry has expired
     * @throws ResultNotStored if the effect has happened, but its result could not be stored
     */
    public <T extends @Nullable Object> Optional<StoredResult<T>> lookup(String key, Class<T> type) {
        Arguments.notNull("class of the result", type);
        return find(key)
                .filter(entry -> entry.state() == GuardState.SUCCESS)
                .map(entry -> new StoredResult<>(
                        runner.decoded(entry.key(), entry.result(), type), entry.changedAt(), entry.expiresAt()));
    }

    /**
     * Looks up the entry of a key of this guard's tenant, in any state.
     *
     * @param key the key
     * @return the entry; empty if there is none
     */
    public Optional<GuardEntry> find(String key) {
        return runner.find(
                new GuardKey(settings.tenant(), settings.prefix() + Limits.key(Arguments.notNull("key", key))));
    }

    /**
     * Binds calls to a JDBC transaction of the caller: the effect's writes on that connection and the record of its
     * outcome commit together or not at all.
     *
     * @param connection a connection to the store's database, with auto-commit off
     * @return a guard with the same settings, valid until the transaction ends
     * @throws InvalidInput if the store cannot join a JDBC transaction
     */
    public Guard joining(Connection connection) {
        return new Guard(settings, runner.joining(Arguments.notNull("connection", connection)));
    }

    /** Stops renewing and sweeping. Call it when no call is in progress. The store stays open. */
    @Override
    public void close() {
        if (renewals != null) {
            renewals.close();
        }
    }

    /** A builder of a guard. Each setting is checked when it is set. */
    public static final class Builder {

        /** The maximum number of finished keys that a guard caches. */
        public static final int MOST_REMEMBERED = 100_000;

        private final GuardStore store;
        private GuardSettings settings = GuardSettings.standard();
        private GuardCodec codec = GuardCodec.standard();
        private RandomGenerator random = new SecureRandom();
        private CheckObserver observer = CheckObserver.NONE;
        private int remembered = 1_000;
        private Duration sweepEvery = Duration.ofHours(1);
        private LongSupplier nanos = System::nanoTime;

        private Builder(GuardStore store) {
            this.store = store;
        }

        /**
         * Sets the tenant of calls that do not set one.
         *
         * @param tenant the tenant; {@code default} by default
         * @return this builder
         */
        public Builder tenant(String tenant) {
            settings = settings.withTenant(tenant);
            return this;
        }

        /**
         * Sets the prefix of every key of this guard, so that several guards can share a store.
         *
         * @param prefix the prefix, for example {@code "orders/"}; empty by default. It counts towards the length of a
         *     key
         * @return this builder
         */
        public Builder prefix(String prefix) {
            settings = settings.withPrefix(prefix);
            return this;
        }

        /**
         * Sets the name of this guard's effects in logs.
         *
         * @param type the name; {@code effect} by default
         * @return this builder
         */
        public Builder type(String type) {
            settings = settings.withType(type);
            return this;
        }

        /**
         * Sets how long outcomes are kept after they are recorded.
         *
         * @param ttl the time; 24 h by default
         * @return this builder
         */
        public Builder ttl(Duration ttl) {
            settings = settings.withTtl(ttl);
            return this;
        }

        /**
         * Sets how long a call holds its key without a renewal. While its effect runs, a call renews its hold after
         * each third of this time. So the lease does not limit how long effects take, but how long other calls wait
         * after a crash.
         *
         * @param lease the time; 30 s by default, at least 100 ms
         * @return this builder
         */
        public Builder lease(Duration lease) {
            settings = settings.withLease(lease);
            return this;
        }

        /**
         * Sets the behaviour when the store fails.
         *
         * @param mode the mode; closed by default
         * @return this builder
         */
        public Builder failMode(FailMode mode) {
            settings = settings.withFailMode(mode);
            return this;
        }

        /**
         * Sets the behaviour when another call is running the effect.
         *
         * @param choice the behaviour; {@link WhenBusy#THROW} by default
         * @return this builder
         */
        public Builder whenBusy(WhenBusy choice) {
            settings = settings.withWhenBusy(choice);
            return this;
        }

        /**
         * Sets how long to wait for the result of another call, with {@link WhenBusy#WAIT}.
         *
         * @param limit the time; 30 s by default
         * @return this builder
         */
        public Builder waitLimit(Duration limit) {
            settings = settings.withWaitLimit(limit);
            return this;
        }

        /**
         * Sets whether wrapped functions compare their inputs. If they do, the same key with a different input is a
         * conflict.
         *
         * @param check whether to compare; not by default
         * @return this builder
         */
        public Builder checkPayload(boolean check) {
            settings = settings.withCheckPayload(check);
            return this;
        }

        /**
         * Sets how many finished keys are cached in this process, so that repeated calls do not query the store.
         *
         * @param keys the number; 1,000 by default, 0 for none
         * @return this builder
         */
        public Builder remember(int keys) {
            if (keys < 0 || keys > MOST_REMEMBERED) {
                throw new InvalidInput(
                        "A guard caches 0 to " + MOST_REMEMBERED + " finished keys, but got \"" + keys + "\".");
            }
            this.remembered = keys;
            return this;
        }

        /**
         * Sets how often expired entries are removed from the store.
         *
         * @param interval the time; 1 h by default, 0 for never
         * @return this builder
         */
        public Builder sweepEvery(Duration interval) {
            this.sweepEvery = Limits.duration("sweep interval", Arguments.notNull("sweep interval", interval));
            return this;
        }

        /**
         * Sets how results and payloads are encoded.
         *
         * @param codec the codec
         * @return this builder
         */
        public Builder codec(GuardCodec codec) {
            this.codec = Arguments.notNull("codec", codec);
            return this;
        }

        /**
         * Sets the source of randomness for owner tokens.
         *
         * @param random a thread-safe generator that cannot be predicted; {@link SecureRandom} by default
         * @return this builder
         */
        public Builder random(RandomGenerator random) {
            this.random = Arguments.notNull("random generator", random);
            return this;
        }

        /**
         * Sets the observer of idempotency checks.
         *
         * @param observer the observer
         * @return this builder
         */
        public Builder observer(CheckObserver observer) {
            this.observer = Arguments.notNull("observer", observer);
            return this;
        }

        /** Sets the clock of the cache of finished keys; for tests. */
        Builder nanos(LongSupplier clock) {
            this.nanos = clock;
            return this;
        }

        /**
         * Builds the guard.
         *
         * @return the guard; the caller closes it
         */
        public Guard build() {
            return new Guard(this);
        }
    }
}
