package dev.semel;

import dev.semel.engine.Batcher;
import dev.semel.engine.Cleaner;
import dev.semel.engine.Cleaning;
import dev.semel.engine.Codec;
import dev.semel.engine.Components;
import dev.semel.engine.DuplicateCounts;
import dev.semel.engine.Queues;
import dev.semel.engine.Results;
import dev.semel.engine.Worker;
import dev.semel.store.JoiningStore;
import dev.semel.store.NewTask;
import dev.semel.store.QueueSettings;
import dev.semel.store.Submitted;
import dev.semel.store.Submitting;
import dev.semel.store.TaskStore;
import dev.semel.task.CheckObserver;
import dev.semel.task.Identity;
import dev.semel.task.IdentityStrategy;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.ReusePolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskType;
import java.security.SecureRandom;
import java.sql.Connection;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The way into Semel: submits tasks, waits for results, starts workers. Safe for use by many threads; one for each program
 * and store is enough.
 */
public final class Semel implements AutoCloseable {

    private static final int MAX_WAITING = 10_000;

    private final Components components;
    private final String tenant;
    private final IdentityStrategy identity;
    private final ReusePolicy reuse;
    private final Duration idempotencyTtl;
    private final Settings settings;
    private final CheckObserver observer;
    private final ScheduledThreadPoolExecutor timers;
    private final ExecutorService carriers;
    private final Results results;
    private final Queues queues;
    private final DuplicateCounts duplicates;
    private final Cleaner cleaner;
    private final Explainer explainer;
    private final Operations operations;
    private final EffectOperations effects;
    private final Sender sender;
    private final List<Worker> workers = new CopyOnWriteArrayList<>();
    private final @Nullable ShutdownHook shutdownHook;

    private Semel(Builder builder) {
        Duration shutdownGrace = builder.shutdownGrace;
        this.shutdownHook = shutdownGrace == null
                ? null
                : new ShutdownHook(() -> closeWorkers(worker -> worker.close(shutdownGrace)));
        this.tenant = builder.tenant;
        this.settings = builder.settings;
        Settings.Defaults defaults = settings.defaults();
        this.identity = orElse(defaults.identity(), builder.identity);
        this.reuse = orElse(defaults.reuse(), builder.reuse);
        this.idempotencyTtl = orElse(defaults.idempotencyTtl(), builder.idempotencyTtl);
        this.timers = new ScheduledThreadPoolExecutor(
                1, task -> Thread.ofPlatform().daemon().name("semel-timers").unstarted(task));
        // A timeout of an hour must not stay in memory for an hour after its task has ended.
        this.timers.setRemoveOnCancelPolicy(true);
        this.timers.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        this.components = new Components(builder.store, builder.codec, builder.clock, builder.random, timers);
        this.results = new Results(builder.store, timers);
        this.observer = builder.observer;
        Submitting observed = ObservedSubmitting.of(builder.store, observer);
        // Platform threads: a driver that waits for its server on a virtual one is woken by way of another thread.
        this.carriers = Executors.newCachedThreadPool(
                Thread.ofPlatform().daemon().name("semel-submit-", 0).factory());
        Batcher<NewTask, Submitted> batcher = new Batcher<>(
                Sender.MAX_BATCH,
                MAX_WAITING,
                builder.store.concurrentSubmissions(),
                carriers,
                task -> task.input().length(),
                observed::submit);
        this.sender = new Sender(this, batcher::call, observed, false);
        this.queues = new Queues(builder.store, System::nanoTime);
        this.duplicates = new DuplicateCounts(builder.store, timers);
        this.cleaner = new Cleaner(builder.store, settings.cleaning().over(builder.cleaning), builder.random, timers);
        this.explainer = new Explainer(builder.store, reuse);
        this.operations = new Operations(builder.store, cleaner, explainer);
        this.effects = new EffectOperations(builder.store);
    }

    private static <T> T orElse(@Nullable T configured, T coded) {
        return configured != null ? configured : coded;
    }

    /**
     * Starts the settings of an instance on a store.
     *
     * @param store where tasks are kept; closed with the instance
     * @return the builder
     */
    public static Builder on(TaskStore store) {
        return new Builder(store);
    }

    /**
     * Prepares a submission.
     *
     * @param type the task type
     * @param input the input
     * @param <I> the class of the input
     * @param <O> the class of the output
     * @return the request; nothing happens until it is sent
     */
    public <I, O extends @Nullable Object> SubmissionRequest<I, O> submit(TaskType<I, O> type, I input) {
        return request(sender, type, input);
    }

    /**
     * Sends many submissions: one outcome per item, in order. The batch means exactly what its items would mean sent one
     * after the other; one that is refused does not affect its neighbours.
     *
     * @param requests the submissions, of one class of output or, as {@code SubmissionRequest<?, Object>}, of several
     * @param <O> the class of the output
     * @return as many outcomes as there are submissions
     * @throws dev.semel.task.StoreUnavailable if the store did not answer; send the same requests again
     */
    public <O extends @Nullable Object> List<SubmitOutcome<O>> submitAll(
            List<? extends SubmissionRequest<?, O>> requests) {
        return sender.sendAll(requests);
    }

    /**
     * Binds submissions to a JDBC transaction of the caller's own: the tasks are there if and only if it commits.
     *
     * @param connection a connection to the store's database, with auto-commit off
     * @return where to submit; good until the transaction ends
     * @throws InvalidInput if the store cannot join a JDBC transaction
     */
    public JoinedSemel joining(Connection connection) {
        if (components.store() instanceof JoiningStore joining) {
            return new JoinedSemel(this, ObservedSubmitting.of(joining.joining(connection), observer));
        }
        throw new InvalidInput("The store \"" + components.store().getClass().getSimpleName()
                + "\" cannot join a JDBC transaction. Use"
                + " a SQLite or PostgreSQL store, or submit after the commit.");
    }

    /**
     * The handle of a task that was submitted elsewhere.
     *
     * @param type its task type
     * @param taskId its id
     * @param <O> the class of its output
     * @return the handle; whether there is such a task shows when its result is asked for
     */
    public <O extends @Nullable Object> TaskHandle<O> handle(TaskType<?, O> type, TaskId taskId) {
        return new TaskHandle<>(taskId, type.output(), results, codec(), false);
    }

    /**
     * Starts the settings of a worker, which is closed with this instance at the latest.
     *
     * @param queue the queue to take from
     * @param more further queues
     * @return the builder
     */
    public Worker.Builder worker(String queue, String... more) {
        List<String> queues = new ArrayList<>();
        queues.add(queue);
        queues.addAll(List.of(more));
        return new Worker.Builder(components, queues, this::started);
    }

    private void started(Worker worker) {
        workers.add(worker);
        if (shutdownHook != null) {
            shutdownHook.register();
        }
    }

    /**
     * Says what would become of a submission and why, without sending it. Nothing changes, the request included.
     *
     * @param request the submission
     * @return the explanation
     * @throws InvalidInput if a value is not allowed
     */
    public Explanation explain(SubmissionRequest<?, ?> request) {
        return explainer.explain(request);
    }

    /**
     * What people do to tasks, keys and queues that are there.
     *
     * @return the operations
     */
    public Operations operations() {
        return operations;
    }

    /**
     * What people do about the effects of tasks: look at them, and say what became of those that nobody knows.
     *
     * @return the operations
     */
    public EffectOperations effects() {
        return effects;
    }

    /** Closes all workers, then the store. */
    @Override
    public void close() {
        closeWorkers(Worker::close);
        if (shutdownHook != null) {
            shutdownHook.remove();
        }
        results.close();
        cleaner.close();
        duplicates.close();
        timers.shutdownNow();
        carriers.shutdown();
        components.store().close();
    }

    private void closeWorkers(Consumer<Worker> close) {
        // At the same time: each may wait for its handlers.
        List<Thread> closing = workers.stream()
                .map(worker -> Thread.ofVirtual().start(() -> close.accept(worker)))
                .toList();
        // Each ends within its grace time, so an interrupt waits as well: the store must not close under a worker.
        boolean interrupted = false;
        for (Thread thread : closing) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    <I, O extends @Nullable Object> SubmissionRequest<I, O> request(Sender by, TaskType<I, O> type, I input) {
        return new SubmissionRequest<>(this, by, type, input, TaskId.next(components.clock(), components.random()));
    }

    <O extends @Nullable Object> TaskHandle<O> known(TaskType<?, O> type, TaskId taskId) {
        return new TaskHandle<>(taskId, type.output(), results, codec(), true);
    }

    Codec codec() {
        return components.codec();
    }

    String tenant() {
        return tenant;
    }

    IdentityStrategy identity() {
        return identity;
    }

    ReusePolicy reuse() {
        return reuse;
    }

    Duration idempotencyTtl() {
        return idempotencyTtl;
    }

    Settings settings() {
        return settings;
    }

    QueueSettings queue(String name) {
        return queues.of(name);
    }

    DuplicateCounts duplicates() {
        return duplicates;
    }

    TaskStore store() {
        return components.store();
    }

    /** Collects the settings of an instance; each is checked as it is set. */
    public static final class Builder {

        private final TaskStore store;
        private Codec codec = Codec.standard();
        private InstantSource clock = InstantSource.system();
        private RandomGenerator random = new SecureRandom();
        private CheckObserver observer = CheckObserver.NONE;
        private String tenant = Identity.DEFAULT_TENANT;
        private IdentityStrategy identity = IdentityStrategy.alwaysUnique();
        private ReusePolicy reuse = ReusePolicy.allowFailedOnly();
        private Duration idempotencyTtl = Duration.ofDays(30);
        private Cleaning cleaning = Cleaning.STANDARD;
        private Settings settings = Settings.NONE;
        private @Nullable Duration shutdownGrace = Duration.ofSeconds(5);
        private final Map<String, QueueSettings> queues = new LinkedHashMap<>();

        private Builder(TaskStore store) {
            this.store = store;
        }

        /**
         * Sets how inputs and results are written.
         *
         * @param codec the codec
         * @return this builder
         */
        public Builder codec(Codec codec) {
            this.codec = codec;
            return this;
        }

        /**
         * Sets this machine's clock, which task ids begin with. What is due and what has expired is the store's affair.
         *
         * @param clock the clock
         * @return this builder
         */
        public Builder clock(InstantSource clock) {
            this.clock = clock;
            return this;
        }

        /**
         * Sets what draws lots for ids and jitter.
         *
         * @param random a generator that is safe for many threads
         * @return this builder
         */
        public Builder random(RandomGenerator random) {
            this.random = random;
            return this;
        }

        /**
         * Sets who is told what every submission with a key came to.
         *
         * @param observer the observer; nobody by default
         * @return this builder
         */
        public Builder observer(CheckObserver observer) {
            this.observer = observer;
            return this;
        }

        /**
         * Sets the tenant of submissions that name none.
         *
         * @param tenant the tenant; {@code default} by default
         * @return this builder
         */
        public Builder tenant(String tenant) {
            this.tenant = Limits.name("tenant", tenant);
            return this;
        }

        /**
         * Sets how the key is found for types that do not say so.
         *
         * @param strategy the strategy; always unique by default
         * @return this builder
         */
        public Builder identity(IdentityStrategy strategy) {
            this.identity = strategy;
            return this;
        }

        /**
         * Sets what becomes of a submission whose identity has a task, for types that do not say so.
         *
         * @param policy the policy; {@link ReusePolicy#allowFailedOnly} by default
         * @return this builder
         */
        public Builder reuse(ReusePolicy policy) {
            this.reuse = policy;
            return this;
        }

        /**
         * Sets how long a record answers for its identity, for types that do not say so.
         *
         * @param ttl the window; 30 days by default
         * @return this builder
         */
        public Builder idempotencyTtl(Duration ttl) {
            this.idempotencyTtl = Limits.positive("idempotency ttl", ttl);
            return this;
        }

        /**
         * Sets when finished tasks and records that answer for nobody go.
         *
         * @param cleaning when; {@link Cleaning#STANDARD} by default
         * @return this builder
         */
        public Builder cleaning(Cleaning cleaning) {
            this.cleaning = cleaning;
            return this;
        }

        /**
         * Declares the settings of a queue, for all programs that share the store. What is set at run time wins over it.
         *
         * @param name the queue
         * @param settings its settings
         * @return this builder
         */
        public Builder queue(String name, QueueSettings settings) {
            this.queues.put(Limits.name("queue", name), settings);
            return this;
        }

        /**
         * Sets how long running handlers may go on when the process is told to end, by SIGTERM, Ctrl-C or {@link System#exit}. Then
         * they are interrupted and their tasks returned to the queue, which costs the tasks nothing.
         *
         * @param grace the time; 5 s by default, because many that send SIGTERM kill after 10 s
         * @return this builder
         */
        public Builder shutdownGrace(Duration grace) {
            this.shutdownGrace = Limits.duration("shutdown grace", grace);
            return this;
        }

        /**
         * Leaves the end of the process to the program: without this, workers return their tasks by themselves when it is told
         * to end. Call it where something else closes this instance then, such as a framework or a shutdown hook of your own.
         *
         * @return this builder
         */
        public Builder withoutShutdownHook() {
            this.shutdownGrace = null;
            return this;
        }

        /**
         * Sets a configuration, for example {@link SettingsFile#read} of {@code semel.toml}. Where it says something, it
         * wins over what code says of the same thing.
         *
         * @param settings the configuration
         * @return this builder
         */
        public Builder settings(Settings settings) {
            this.settings = settings;
            return this;
        }

        /**
         * Makes the instance.
         *
         * @return the instance; close it when done
         * @throws InvalidInput if the dead-letter queues form a circle
         * @throws dev.semel.task.StoreUnavailable if settings of queues are to be declared and the store does not answer
         */
        public Semel build() {
            Semel semel = new Semel(this);
            Map<String, QueueSettings> declared = new LinkedHashMap<>(queues);
            settings.queues()
                    .forEach((name, configured) -> declared.merge(name, configured, (coded, c) -> c.or(coded)));
            try {
                new Declarations(store).declare(declared);
            } catch (RuntimeException e) {
                semel.close();
                throw e;
            }
            return semel;
        }
    }
}
