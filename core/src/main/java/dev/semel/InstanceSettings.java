package dev.semel;

import dev.semel.engine.Cleaning;
import dev.semel.engine.Codec;
import dev.semel.engine.DepthSampler;
import dev.semel.guard.Guard;
import dev.semel.observe.Observer;
import dev.semel.observe.Tracing;
import dev.semel.schedule.Schedule;
import dev.semel.schedule.Scheduler;
import dev.semel.store.QueueSettings;
import dev.semel.task.CheckObserver;
import dev.semel.task.Durations;
import dev.semel.task.Identity;
import dev.semel.task.IdentityStrategy;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.ReusePolicy;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The settings of an instance that is being built. {@link Semel.Builder} is the only builder; its setters are here, so that
 * this file is about settings and {@link Semel} about what an instance does.
 *
 * @param <B> the class of the builder, which every setter returns
 */
abstract class InstanceSettings<B> {

    Codec codec = Codec.standard();
    InstantSource clock = InstantSource.system();
    RandomGenerator random = new SecureRandom();
    CheckObserver observer = CheckObserver.NONE;
    Observer metrics = Observer.NONE;
    Tracing tracing = Tracing.NONE;

    @Nullable
    Duration depthInterval;

    @Nullable
    Guard depthTurns;

    String tenant = Identity.DEFAULT_TENANT;
    IdentityStrategy identity = IdentityStrategy.alwaysUnique();
    ReusePolicy reuse = ReusePolicy.allowFailedOnly();
    Duration idempotencyTtl = Duration.ofDays(30);
    Cleaning cleaning = Cleaning.STANDARD;
    Settings settings = Settings.NONE;

    @Nullable
    Duration shutdownGrace = Duration.ofSeconds(5);

    @Nullable
    TransactionLookup transactions;

    final Map<String, QueueSettings> queues = new LinkedHashMap<>();
    final Map<String, Schedule> schedules = new LinkedHashMap<>();
    Duration schedulerInterval = Scheduler.INTERVAL;

    /** Returns this builder. */
    abstract B self();

    /**
     * Sets how inputs and results are encoded.
     *
     * @param codec the codec
     * @return this builder
     */
    public B codec(Codec codec) {
        this.codec = Limits.notNull("codec", codec);
        return self();
    }

    /**
     * Sets the local clock, whose time task ids begin with. Due times and expiries use the store's clock.
     *
     * @param clock the clock
     * @return this builder
     */
    public B clock(InstantSource clock) {
        this.clock = Limits.notNull("clock", clock);
        return self();
    }

    /**
     * Sets the source of randomness for ids and jitter.
     *
     * @param random a thread-safe generator
     * @return this builder
     */
    public B random(RandomGenerator random) {
        this.random = Limits.notNull("source of randomness", random);
        return self();
    }

    /**
     * Sets the observer of the idempotency checks of submissions.
     *
     * @param observer the observer; {@link CheckObserver#NONE} by default
     * @return this builder
     */
    public B observer(CheckObserver observer) {
        this.observer = Limits.notNull("observer of checks", observer);
        return self();
    }

    /**
     * Sets the observer of everything that this instance does, for example
     * {@link dev.semel.metrics.MicrometerMetrics}. It also gets the idempotency checks of submissions. Without it
     * nothing is measured.
     *
     * @param observer the observer; {@link Observer#NONE} by default
     * @return this builder
     */
    public B metrics(Observer observer) {
        this.metrics = Limits.notNull("observer", observer);
        return self();
    }

    /**
     * Lets this process read the depths of all queues on an interval and report them to the observer of
     * {@link #metrics(Observer)}. Use it in one process; if all processes have the same configuration, use
     * {@link #depths(Duration, Guard)}.
     *
     * @param interval the interval, at least 1 s; by default depths are not read
     * @return this builder
     */
    public B depths(Duration interval) {
        Limits.positive("interval of depths", interval);
        if (interval.compareTo(DepthSampler.SHORTEST_INTERVAL) < 0) {
            throw new InvalidInput("Depths are read at most once a second, but the interval is \""
                    + Durations.shown(interval) + "\". Choose 15 s or more.");
        }
        this.depthInterval = interval;
        this.depthTurns = null;
        return self();
    }

    /**
     * Lets one of all processes that share a guard read the depths of all queues in each interval, and report them to
     * its observer.
     *
     * @param interval the interval, at least 1 s, the same in all processes
     * @param turns a guard on a store that the processes share, with a prefix of its own for each task store
     * @return this builder
     */
    public B depths(Duration interval, Guard turns) {
        depths(interval);
        this.depthTurns = Limits.notNull("guard", turns);
        return self();
    }

    /**
     * Sets the traces of this instance, for example {@link dev.semel.tracing.OpenTelemetryTracing}. The context of a
     * submission is stored with its task, so that all its attempts belong to one trace.
     *
     * @param tracing the traces; {@link Tracing#NONE} by default
     * @return this builder
     */
    public B tracing(Tracing tracing) {
        this.tracing = Limits.notNull("tracing", tracing);
        return self();
    }

    /**
     * Sets the source of the transactions that submissions join by themselves, for frameworks that bind a
     * transaction to a thread.
     *
     * @param lookup finds the transaction of the calling thread; by default a submission joins only through
     *     {@link Semel#joining}
     * @return this builder
     */
    public B transactions(TransactionLookup lookup) {
        this.transactions = Limits.notNull("transaction lookup", lookup);
        return self();
    }

    /**
     * Sets the tenant of submissions that do not set one.
     *
     * @param tenant the tenant; {@code default} by default
     * @return this builder
     */
    public B tenant(String tenant) {
        this.tenant = Limits.name("tenant", tenant);
        return self();
    }

    /**
     * Sets the identity strategy of types that do not set one.
     *
     * @param strategy the strategy; always unique by default
     * @return this builder
     */
    public B identity(IdentityStrategy strategy) {
        this.identity = Limits.notNull("identity strategy", strategy);
        return self();
    }

    /**
     * Sets the reuse policy of types that do not set one.
     *
     * @param policy the policy; {@link ReusePolicy#allowFailedOnly} by default
     * @return this builder
     */
    public B reuse(ReusePolicy policy) {
        this.reuse = Limits.notNull("reuse policy", policy);
        return self();
    }

    /**
     * Sets the window of records, for types that do not set one.
     *
     * @param ttl the window; 30 days by default
     * @return this builder
     */
    public B idempotencyTtl(Duration ttl) {
        this.idempotencyTtl = Limits.positive("idempotency ttl", ttl);
        return self();
    }

    /**
     * Sets when finished tasks and expired records are deleted.
     *
     * @param cleaning the times; {@link Cleaning#STANDARD} by default
     * @return this builder
     */
    public B cleaning(Cleaning cleaning) {
        this.cleaning = Limits.notNull("cleaning", cleaning);
        return self();
    }

    /**
     * Declares the settings of a queue, for all processes that share the store. Settings made at run time override
     * them.
     *
     * @param name the queue
     * @param settings its settings
     * @return this builder
     */
    public B queue(String name, QueueSettings settings) {
        this.queues.put(Limits.name("queue", name), Limits.notNull("settings of a queue", settings));
        return self();
    }

    /**
     * Declares a schedule, for all programs that share the store. What was set by hand, with the command line for example,
     * takes precedence.
     *
     * @param schedule the definition
     * @return this builder
     */
    public B schedule(Schedule schedule) {
        this.schedules.put(Limits.notNull("schedule", schedule).name(), schedule);
        return self();
    }

    /**
     * Sets how often this program looks for schedules that other programs have added. Ticks of known schedules are made in
     * time, whatever the interval.
     *
     * @param interval the interval, 5 s by default; zero if this program must not make ticks
     * @return this builder
     */
    public B schedulerInterval(Duration interval) {
        this.schedulerInterval = Limits.duration("scheduler interval", interval);
        return self();
    }

    /**
     * Sets how long running handlers may continue when the process is terminated by SIGTERM, Ctrl-C or
     * {@link System#exit}. After that time the handlers are interrupted and their tasks are returned to the queue,
     * which does not count as a failure.
     *
     * @param grace the time; 5 s by default, because many process managers send SIGKILL 10 s after SIGTERM
     * @return this builder
     */
    public B shutdownGrace(Duration grace) {
        this.shutdownGrace = Limits.duration("shutdown grace", grace);
        return self();
    }

    /**
     * Disables the shutdown hook, through which workers return their tasks when the process is terminated. Use it
     * if a framework or another shutdown hook closes this instance.
     *
     * @return this builder
     */
    public B withoutShutdownHook() {
        this.shutdownGrace = null;
        return self();
    }

    /**
     * Sets a configuration, for example {@link SettingsFile#read} of {@code semel.toml}. Its settings override
     * those in code.
     *
     * @param settings the configuration
     * @return this builder
     */
    public B settings(Settings settings) {
        this.settings = Limits.notNull("configuration", settings);
        return self();
    }
}
