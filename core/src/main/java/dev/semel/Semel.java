package dev.semel;

import dev.semel.engine.Batcher;
import dev.semel.engine.Cleaner;
import dev.semel.engine.Cleaning;
import dev.semel.engine.Codec;
import dev.semel.engine.Components;
import dev.semel.engine.DepthSampler;
import dev.semel.engine.OwnThreads;
import dev.semel.engine.Queues;
import dev.semel.engine.Results;
import dev.semel.engine.Worker;
import dev.semel.observe.Observation;
import dev.semel.observe.ObservedTaskStore;
import dev.semel.observe.Observer;
import dev.semel.schedule.Schedule;
import dev.semel.schedule.Scheduler;
import dev.semel.schedule.Schedules;
import dev.semel.store.Joining;
import dev.semel.store.NewTask;
import dev.semel.store.QueueSettings;
import dev.semel.store.Submitted;
import dev.semel.store.TaskOptions;
import dev.semel.store.TaskStore;
import dev.semel.task.CheckObserver;
import dev.semel.task.CheckReturnValue;
import dev.semel.task.IdentityStrategy;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.ReusePolicy;
import dev.semel.task.StoreUnusable;
import dev.semel.task.TaskId;
import dev.semel.task.TaskType;
import dev.semel.task.TypeRef;
import dev.semel.workflow.WorkflowType;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The entry point to Semel: submits tasks, waits for results, starts workers. It is safe for use by several threads.
 * One instance for each process and store is enough.
 */
public final class Semel implements AutoCloseable {

    private static final int MAX_WAITING = 10_000;

    // Without workers nothing says how soon a vanished attempt has to be noticed.
    private static final Duration MAINTENANCE = Duration.ofSeconds(10);

    private final Components components;
    private final String tenant;
    private final IdentityStrategy identity;
    private final ReusePolicy reuse;
    private final Duration idempotencyTtl;
    private final Settings settings;
    private final CheckObserver checks;
    private final ScheduledThreadPoolExecutor timers;
    private final ExecutorService carriers;
    private final Results results;
    private final Queues queues;
    private final Cleaner cleaner;
    private final @Nullable DepthSampler depths;
    private final Explainer explainer;
    private final Operations operations;
    private final EffectOperations effects;
    private final Tasks tasks;
    private final Workflows workflows;
    private final Scheduler scheduler;
    private final Schedules schedules;
    private final SubmissionTracer tracer;
    private final Sender sender;
    private final NameChecks names;
    private final UnsentRequests unsent = new UnsentRequests();
    private final @Nullable TransactionLookup transactions;
    private final List<Worker> workers = new CopyOnWriteArrayList<>();
    private final @Nullable ShutdownHook shutdownHook;
    private boolean closed; // guarded by the monitor of the list of workers

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
        // The timer of a one-hour timeout must not stay in memory for an hour after its task has ended.
        this.timers.setRemoveOnCancelPolicy(true);
        this.timers.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        Observation observation = Observation.of(builder.metrics, builder.tracing);
        Observer observer = observation.observer();
        TaskStore store = ObservedTaskStore.of(builder.store, observer);
        this.tracer = new SubmissionTracer(observation.tracing(), store);
        this.components = new Components(
                store,
                builder.codec,
                builder.clock,
                builder.random,
                timers,
                new OwnThreads(),
                observation,
                new InstanceSteps(this));
        this.results = new Results(store, timers, components.threads());
        this.checks = builder.observer;
        Function<List<NewTask>, List<Submitted>> observed = ObservedSubmitter.of(store::submit, checks, observer);
        // Platform threads: a driver that waits for its server on a virtual thread is woken through another thread.
        this.carriers = Executors.newCachedThreadPool(
                Thread.ofPlatform().daemon().name("semel-submit-", 0).factory());
        Batcher<NewTask, Submitted> batcher = new Batcher<>(
                Sender.MAX_BATCH,
                MAX_WAITING,
                store.concurrentSubmissions(),
                carriers,
                task -> task.input().length(),
                observed);
        this.sender = new Sender(this, batcher::call, observed, false);
        this.transactions = builder.transactions;
        this.queues = new Queues(store, components.threads(), System::nanoTime);
        Cleaning cleaning = settings.cleaning().over(builder.cleaning);
        this.cleaner = new Cleaner(
                store,
                store.isMaintained() ? cleaning.withInterval(Duration.ZERO) : cleaning,
                builder.random,
                timers,
                components.threads());
        this.depths = builder.depthInterval == null
                ? null
                : new DepthSampler(
                        store, observer, builder.depthInterval, builder.depthTurns, builder.clock, this::workedQueues);
        this.explainer = new Explainer(store, reuse);
        this.operations = new Operations(store, cleaner, explainer);
        this.effects = new EffectOperations(store);
        this.tasks = new Tasks(store);
        this.workflows = new Workflows(this, store, tenant);
        this.names = new NameChecks(settings, builder.queues.keySet());
        this.scheduler = new Scheduler(components, this::configured, builder.schedulerInterval);
        this.schedules = new Schedules(components, tenant, this::configured, scheduler::lookSoon);
    }

    private Set<String> workedQueues() {
        return workers.stream()
                .flatMap(worker -> worker.settings().queues().stream())
                .collect(Collectors.toSet());
    }

    private TaskOptions configured(String type) {
        TypeSettings of = settings.task(type);
        Integer priority = of.priority();
        return new TaskOptions(priority == null ? 0 : priority, of.retry(), of.timeout());
    }

    private static <T> T orElse(@Nullable T configured, T coded) {
        return configured != null ? configured : coded;
    }

    /**
     * Returns a builder for an instance on a store.
     *
     * @param store the store of the tasks; closing the instance closes it
     * @return the builder
     */
    @CheckReturnValue
    public static Builder on(TaskStore store) {
        return new Builder(Limits.notNull("store", store));
    }

    /**
     * Prepares a submission.
     *
     * @param type the task type
     * @param input the input
     * @param <I> the class of the input
     * @param <O> the class of the output
     * @return the request; nothing happens until it is sent. A forgotten {@link SubmissionRequest#send} is logged as a warning,
     *     for the first 100 requests of an instance
     */
    @CheckReturnValue
    public <I, O extends @Nullable Object> SubmissionRequest<I, O> submit(TaskType<I, O> type, I input) {
        return request(this::sender, type, input);
    }

    /** Returns the sender into the calling thread's transaction, or the sender to the store if there is none. */
    private Sender sender() {
        return transactions == null
                ? sender
                : transactions.current(this).map(JoinedSemel::sender).orElse(sender);
    }

    /**
     * Starts a workflow, once for each id.
     *
     * @param type the workflow type
     * @param id the id of the workflow, which is its idempotency key
     * @param input the input
     * @param <I> the class of the input
     * @param <O> the class of the output
     * @return the answer; also if the workflow was started before
     * @throws dev.semel.task.IdempotencyConflict if the id was used with a different input
     * @throws dev.semel.task.StoreUnavailable if the store did not answer; start it again
     */
    public <I, O extends @Nullable Object> Submission<O> start(WorkflowType<I, O> type, String id, I input) {
        return submit(type, id, input).send();
    }

    /**
     * Prepares the start of a workflow, for example with a time limit, a delay or another queue.
     *
     * @param type the workflow type
     * @param id the id of the workflow, which is its idempotency key
     * @param input the input
     * @param <I> the class of the input
     * @param <O> the class of the output
     * @return the request, which {@link SubmissionRequest#send()} or {@link Workflows#signalWithStart} sends
     */
    @CheckReturnValue
    public <I, O extends @Nullable Object> SubmissionRequest<I, O> submit(WorkflowType<I, O> type, String id, I input) {
        return submit(Limits.notNull("workflow type", type).taskType(), input)
                .idempotencyKey(Limits.notNull("workflow id", id));
    }

    /**
     * Sends several submissions and returns one outcome per item, in order. The outcomes are the same as if the items
     * were sent one after the other. A rejected item does not affect the others.
     *
     * @param requests the submissions, with one class of output or, as {@code SubmissionRequest<?, Object>}, with
     *     several
     * @param <O> the class of the output
     * @return as many outcomes as there are submissions
     * @throws dev.semel.task.StoreUnavailable if the store did not answer; send the same requests again
     */
    public <O extends @Nullable Object> List<SubmitOutcome<O>> submitAll(
            List<? extends SubmissionRequest<?, O>> requests) {
        return sender().sendAll(Limits.notNull("list of submissions", requests));
    }

    /**
     * Binds submissions to a JDBC transaction of the caller: the tasks exist if and only if it commits.
     *
     * @param connection a connection to the store's database, with auto-commit off
     * @return the entry point for submissions, valid until the transaction ends
     * @throws InvalidInput if the store cannot join a JDBC transaction
     */
    @CheckReturnValue
    public JoinedSemel joining(Connection connection) {
        Limits.notNull("connection", connection);
        TaskStore store = components.store();
        Joining joining = store.joining()
                .orElseThrow(
                        () -> new InvalidInput("The store \"" + store.getClass().getSimpleName()
                                + "\" cannot join a JDBC transaction. Use a SQLite or PostgreSQL store, or submit"
                                + " after the commit."));
        Joining.Joined joined = joining.join(connection);
        return new JoinedSemel(
                this,
                ObservedSubmitter.of(
                        joined::submit, checks, components.observation().observer()),
                joined::committed);
    }

    /**
     * Returns the handle of a task that was submitted elsewhere.
     *
     * @param type its task type
     * @param taskId its id
     * @param <O> the class of its output
     * @return the handle; whether the task exists is checked when its result is requested
     */
    @CheckReturnValue
    public <O extends @Nullable Object> TaskHandle<O> handle(TaskType<?, O> type, TaskId taskId) {
        TypeRef<O> output = Limits.notNull("task type", type).output();
        return new TaskHandle<>(Limits.notNull("task id", taskId), output, this, false);
    }

    /**
     * Returns a builder for a worker, which is closed with this instance at the latest.
     *
     * @param queue the queue to claim tasks from
     * @param more further queues
     * @return the builder
     */
    @CheckReturnValue
    public Worker.Builder worker(String queue, String... more) {
        List<String> queues = new ArrayList<>();
        queues.add(Limits.name("queue", queue));
        for (String another : more) {
            queues.add(Limits.name("queue", another));
        }
        return new Worker.Builder(components, queues, settings.worker(queue), this::started);
    }

    private void started(Worker worker) {
        synchronized (workers) {
            if (closed) {
                throw StoreUnusable.closed(
                        "The instance of Semel that the worker \"" + worker.name() + "\" belongs to");
            }
            workers.add(worker);
        }
        if (shutdownHook != null) {
            shutdownHook.register();
        }
        if (!components.store().isMaintained()) {
            scheduler.start();
            cleaner.endVanishedEvery(worker.settings().lease().dividedBy(3));
        }
        names.checkWorker(worker);
    }

    /** Warns once if a submission probably has a misspelled queue or type. */
    void checkNames(String queue, String type) {
        names.checkSubmission(queue, type);
    }

    /**
     * Explains what a submission would do and why, without sending it. Nothing changes, and the request is not changed
     * either.
     *
     * @param request the submission
     * @return the explanation
     * @throws InvalidInput if a value is not allowed
     */
    @CheckReturnValue
    public Explanation explain(SubmissionRequest<?, ?> request) {
        return explainer.explain(Limits.notNull("submission", request));
    }

    /** {@return the lookup of tasks: find one, list many, read attempts} */
    public Tasks tasks() {
        return tasks;
    }

    /** {@return the operations on workflows: signal, cancel, terminate, resume, read} */
    public Workflows workflows() {
        return workflows;
    }

    /**
     * Returns the operations on the workflows of another tenant.
     *
     * @param tenant the tenant
     * @return the operations
     */
    public Workflows workflows(String tenant) {
        return new Workflows(this, components.store(), Limits.name("tenant", Limits.notNull("tenant", tenant)));
    }

    /** {@return the operations on existing tasks, keys and queues} */
    public Operations operations() {
        return operations;
    }

    /** {@return the operations on effects of tasks: look up effects, and resolve effects with unknown outcome} */
    public EffectOperations effects() {
        return effects;
    }

    /** {@return the schedules of this instance's tenant: define, pause, trigger and remove them} */
    public Schedules schedules() {
        return schedules;
    }

    /**
     * Returns the schedules of another tenant.
     *
     * @param tenant the tenant
     * @return its schedules
     */
    public Schedules schedules(String tenant) {
        return new Schedules(components, Limits.name("tenant", tenant), this::configured, scheduler::lookSoon);
    }

    /**
     * Starts making the ticks of schedules in this program. Starting a worker does so as well; a program without workers may call
     * this.
     */
    public void startScheduler() {
        scheduler.start();
    }

    /**
     * Starts all that a store needs in the background apart from its cleaning: the ticks of schedules, and the end of vanished
     * attempts. Starting a worker does so as well; a server whose workers are other programs calls this.
     */
    public void startMaintenance() {
        scheduler.start();
        cleaner.endVanishedEvery(MAINTENANCE);
    }

    /**
     * Closes all workers, then the store. Afterwards no worker starts on this instance, and every other use of it throws
     * {@link StoreUnusable}.
     */
    @Override
    public void close() {
        synchronized (workers) {
            closed = true;
        }
        closeWorkers(Worker::close);
        if (shutdownHook != null) {
            shutdownHook.remove();
        }
        results.close();
        scheduler.close();
        cleaner.close();
        if (depths != null) {
            depths.close();
        }
        unsent.close();
        timers.shutdownNow();
        carriers.shutdown();
        components.store().close();
    }

    private void closeWorkers(Consumer<Worker> close) {
        // In parallel: each worker may wait for its handlers.
        List<Thread> closing = workers.stream()
                .map(worker -> Thread.ofVirtual().start(() -> close.accept(worker)))
                .toList();
        // Each worker ends within its grace time, so an interrupted thread waits as well: the store must not be closed
        // while a worker uses it.
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

    TaskId newId() {
        return TaskId.next(components.clock(), components.random());
    }

    <I, O extends @Nullable Object> SubmissionRequest<I, O> request(Supplier<Sender> by, TaskType<I, O> type, I input) {
        if (Limits.notNull("task type", type).input().rawClass() != Void.class) {
            Limits.notNull("input", input);
        }
        return new SubmissionRequest<>(this, by, type, input, newId());
    }

    <O extends @Nullable Object> TaskHandle<O> known(TaskType<?, O> type, TaskId taskId) {
        return new TaskHandle<>(taskId, type.output(), this, true);
    }

    UnsentRequests unsent() {
        return unsent;
    }

    Results results() {
        return results;
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

    Observer observer() {
        return components.observation().observer();
    }

    SubmissionTracer tracer() {
        return tracer;
    }

    TaskStore store() {
        return components.store();
    }

    /** A builder of an instance. Each setting is checked when it is set. */
    public static final class Builder extends InstanceSettings<Builder> {

        private final TaskStore store;

        private Builder(TaskStore store) {
            this.store = store;
        }

        @Override
        Builder self() {
            return this;
        }

        /**
         * Builds the instance.
         *
         * @return the instance; the caller closes it
         * @throws InvalidInput if the dead-letter queues form a circle
         * @throws dev.semel.task.StoreUnavailable if queue settings have to be declared and the store does not answer
         */
        public Semel build() {
            Semel semel = new Semel(this);
            Map<String, QueueSettings> declared = new LinkedHashMap<>(queues);
            settings.queues()
                    .forEach((name, configured) -> declared.merge(name, configured, (coded, c) -> c.or(coded)));
            try {
                new QueueDeclarer(store).declare(declared);
                Map<String, Schedule> ticking = new LinkedHashMap<>(schedules);
                ticking.putAll(settings.schedules());
                ticking.values().forEach(semel.schedules::declare);
            } catch (RuntimeException e) {
                semel.close();
                throw e;
            }
            if (semel.depths != null) {
                semel.depths.start(semel.timers, semel.components.threads());
            }
            return semel;
        }
    }
}
