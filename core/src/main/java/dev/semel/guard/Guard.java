package dev.semel.guard;

import dev.semel.task.CheckObserver;
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
 * Runs effects once for each (tenant, key), anywhere: in a message listener, a servlet, a job that a clock starts. Safe for
 * use by many threads; one for each kind of effect is enough, and several can share a store.
 *
 * <p>What it can and cannot do is told in the documentation of this package.
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
     * Starts the settings of a guard on a store.
     *
     * @param store where outcomes are kept; it is not closed with the guard
     * @return the builder
     */
    public static Builder on(GuardStore store) {
        return new Builder(Given.notNull("store", store));
    }

    /**
     * Runs an effect unless it has happened under this key, and gives its result, or the one that was stored.
     *
     * @param key the key; empty for no guarding: then the effect just runs
     * @param type the class of the result
     * @param effect the effect
     * @param <T> the class of the result
     * @param <X> what the effect throws
     * @return the result; null if the effect was skipped because the guard says {@link WhenBusy#SKIP}
     * @throws X if the effect failed: the next call runs it again
     * @throws InProgress if somebody else runs the effect at this moment
     * @throws OutcomeNotRecorded if the effect ran, and that could not be recorded
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
     * @param key the key; empty for no guarding
     * @param action the effect
     * @param <X> what the effect throws
     * @return whether it ran now
     * @throws X if the effect failed: the next call runs it again
     */
    @SuppressWarnings("NullAway") // the class is the same whether null is one of its values or not
    public <X extends Exception> boolean run(String key, GuardedAction<X> action) throws X {
        GuardedAction<X> given = Given.notNull("action", action);
        Outcome<@Nullable Object> outcome = call(key).outcome(Object.class, token -> {
            given.run(token);
            return null;
        });
        return outcome instanceof Outcome.Ran || outcome instanceof Outcome.Unguarded;
    }

    /**
     * Prepares a call that differs from others: another tenant, another ttl, a payload to compare.
     *
     * @param key the key; empty for no guarding
     * @return the call; nothing happens until it is told to
     */
    public GuardCall call(String key) {
        return new GuardCall(runner, settings, Given.notNull("key", key));
    }

    /**
     * Prepares a call whose key an extractor finds; it compares the input if the guard says so.
     *
     * @param key finds the key
     * @param input the input
     * @param <I> the class of the input
     * @return the call; nothing happens until it is told to
     * @throws InvalidInput if the extractor failed or gave null
     */
    public <I> GuardCall call(KeyExtractor<? super I> key, I input) {
        GuardCall call = call(KeyExtractor.keyOf(Given.notNull("key extractor", key), input));
        return settings.checkPayload() ? call.payload(input) : call;
    }

    /**
     * Makes a function that runs once for each key which an extractor finds in its input.
     *
     * @param key finds the key; if it fails, the call fails
     * @param type the class of the result
     * @param handler does the work
     * @param <I> the class of the input
     * @param <T> the class of the result
     * @param <X> what the handler throws
     * @return the function; it throws what {@link #once} throws
     */
    public <I, T extends @Nullable Object, X extends Exception> GuardedFunction<I, T, X> wrap(
            KeyExtractor<? super I> key, Class<T> type, GuardedHandler<? super I, T, X> handler) {
        Given.notNull("key extractor", key);
        Given.notNull("class of the result", type);
        Given.notNull("handler", handler);
        return input -> call(key, input).once(type, token -> handler.handle(input, token));
    }

    /**
     * Looks a stored result up, of this guard's tenant.
     *
     * @param key the key
     * @param type the class of the result
     * @param <T> the class of the result
     * @return the result; empty if the effect has not happened, or is forgotten
     * @throws ResultNotStored if it has happened, but its result could not be stored
     */
    public <T extends @Nullable Object> Optional<StoredResult<T>> lookup(String key, Class<T> type) {
        Given.notNull("class of the result", type);
        return find(key)
                .filter(entry -> entry.state() == GuardState.SUCCESS)
                .map(entry -> new StoredResult<>(
                        runner.decoded(entry.key(), entry.result(), type), entry.changedAt(), entry.expiresAt()));
    }

    /**
     * Reads what is stored under a key, of this guard's tenant, in any state.
     *
     * @param key the key
     * @return the entry; empty if there is none
     */
    public Optional<GuardEntry> find(String key) {
        return runner.find(new GuardKey(settings.tenant(), settings.prefix() + Given.notNull("key", key)));
    }

    /**
     * Binds calls to a JDBC transaction of the caller's own: the effect's writes on that connection and the record that it
     * has happened commit together or not at all.
     *
     * @param connection a connection to the store's database, with auto-commit off
     * @return a guard with the same settings, good until the transaction ends
     * @throws InvalidInput if the store cannot join a JDBC transaction
     */
    public Guard joining(Connection connection) {
        return new Guard(settings, runner.joining(Given.notNull("connection", connection)));
    }

    /** Stops renewing and sweeping. Close it when no call is under way; the store stays open. */
    @Override
    public void close() {
        if (renewals != null) {
            renewals.close();
        }
    }

    /** Collects the settings of a guard; each is checked as it is set. */
    public static final class Builder {

        /** The most finished keys that a guard remembers. */
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
         * Sets the tenant of calls that name none.
         *
         * @param tenant the tenant; {@code default} by default
         * @return this builder
         */
        public Builder tenant(String tenant) {
            settings = settings.withTenant(tenant);
            return this;
        }

        /**
         * Sets what stands before every key of this guard, so that several can share a store.
         *
         * @param prefix the prefix, for example {@code "orders/"}; empty by default. It counts towards the length of a key
         * @return this builder
         */
        public Builder prefix(String prefix) {
            settings = settings.withPrefix(prefix);
            return this;
        }

        /**
         * Sets what the effects of this guard are called in logs.
         *
         * @param type the name; {@code effect} by default
         * @return this builder
         */
        public Builder type(String type) {
            settings = settings.withType(type);
            return this;
        }

        /**
         * Sets how long outcomes are kept, from their recording on.
         *
         * @param ttl the time; 24 h by default
         * @return this builder
         */
        public Builder ttl(Duration ttl) {
            settings = settings.withTtl(ttl);
            return this;
        }

        /**
         * Sets how long a call holds its key unless it renews that, which it does at a third of this time while its effect
         * runs. So it is not about how long effects take, but how long a crash keeps others waiting.
         *
         * @param lease the time; 30 s by default, at least 100 ms
         * @return this builder
         */
        public Builder lease(Duration lease) {
            settings = settings.withLease(lease);
            return this;
        }

        /**
         * Sets what happens when the store fails.
         *
         * @param mode the mode; closed by default
         * @return this builder
         */
        public Builder failMode(FailMode mode) {
            settings = settings.withFailMode(mode);
            return this;
        }

        /**
         * Sets what happens when somebody else runs the effect at this moment.
         *
         * @param choice the choice; throws by default
         * @return this builder
         */
        public Builder whenBusy(WhenBusy choice) {
            settings = settings.withWhenBusy(choice);
            return this;
        }

        /**
         * Sets how long to wait for somebody else's result, with {@link WhenBusy#WAIT}.
         *
         * @param limit the time; 30 s by default
         * @return this builder
         */
        public Builder waitLimit(Duration limit) {
            settings = settings.withWaitLimit(limit);
            return this;
        }

        /**
         * Sets whether wrapped functions compare their inputs: the same key with another input is a conflict then.
         *
         * @param check whether to compare; not by default
         * @return this builder
         */
        public Builder checkPayload(boolean check) {
            settings = settings.withCheckPayload(check);
            return this;
        }

        /**
         * Sets how many finished keys are remembered in this program, so that the store need not be asked again.
         *
         * @param keys the number; 1,000 by default, 0 for none
         * @return this builder
         */
        public Builder remember(int keys) {
            if (keys < 0 || keys > MOST_REMEMBERED) {
                throw new InvalidInput(
                        "A guard remembers 0 to " + MOST_REMEMBERED + " finished keys, but got \"" + keys + "\".");
            }
            this.remembered = keys;
            return this;
        }

        /**
         * Sets how often entries that have expired are removed from the store.
         *
         * @param interval the time; 1 h by default, 0 for never
         * @return this builder
         */
        public Builder sweepEvery(Duration interval) {
            this.sweepEvery = Limits.duration("sweep interval", Given.notNull("sweep interval", interval));
            return this;
        }

        /**
         * Sets how results and payloads are written.
         *
         * @param codec the codec
         * @return this builder
         */
        public Builder codec(GuardCodec codec) {
            this.codec = Given.notNull("codec", codec);
            return this;
        }

        /**
         * Sets what draws owner tokens.
         *
         * @param random a generator that is safe for many threads and cannot be guessed; {@link SecureRandom} by default
         * @return this builder
         */
        public Builder random(RandomGenerator random) {
            this.random = Given.notNull("random generator", random);
            return this;
        }

        /**
         * Sets who is told of every look at a key.
         *
         * @param observer the observer
         * @return this builder
         */
        public Builder observer(CheckObserver observer) {
            this.observer = Given.notNull("observer", observer);
            return this;
        }

        /** Sets what measures the time for which finished keys are remembered; for tests. */
        Builder nanos(LongSupplier clock) {
            this.nanos = clock;
            return this;
        }

        /**
         * Makes the guard.
         *
         * @return the guard; close it when done
         */
        public Guard build() {
            return new Guard(this);
        }
    }
}
