package dev.semel.engine;

import dev.semel.guard.Guard;
import dev.semel.guard.KeyExtractor;
import dev.semel.observe.Observation;
import dev.semel.store.StoreListener;
import dev.semel.store.TaskStore;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.SafeLogger;
import dev.semel.task.TaskId;
import dev.semel.task.TaskType;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A running worker. When it is closed, it stops claiming, waits for its handlers, and returns the other tasks to the
 * queue without counting a failure.
 *
 * <p>Its threads do not keep the process alive. A program that is nothing but a worker ends its {@code main} method with
 * {@link #awaitEnd}.
 */
public final class Worker implements AutoCloseable {

    private static final SafeLogger LOG = SafeLogger.of(Worker.class);

    // Added to the grace time of handlers: the time to settle their tasks.
    private static final Duration SETTLE_GRACE = Duration.ofSeconds(10);

    private final Guardian guardian;
    private final OwnThreads threads;
    private final WorkerSettings settings;
    private final Handlers handlers;
    private final Duration closeGrace;
    private final Observation observation;
    private final TaskStore.Registration registration;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final AtomicBoolean closing = new AtomicBoolean();
    private volatile Duration closingGrace;

    private Worker(
            Guardian guardian, WorkerSettings settings, Handlers handlers, Duration closeGrace, Components components) {
        this.guardian = guardian;
        this.settings = settings;
        this.handlers = handlers;
        this.closeGrace = closeGrace;
        this.closingGrace = closeGrace;
        this.threads = components.threads();
        this.observation = components.observation();
        this.registration = components.store().listen(new Waker());
    }

    private final class Waker implements StoreListener {

        private final AtomicBoolean pending = new AtomicBoolean();

        @Override
        public void tasksMayBeDue(Collection<String> queues) {
            boolean ours = queues.isEmpty() || queues.stream().anyMatch(settings.queues()::contains);
            // On a separate thread, because a step may run on the thread that submits it, and this thread is the
            // store's.
            if (ours && pending.compareAndSet(false, true)) {
                boolean begun = threads.run("wake-up of a worker by a hint", () -> {
                    pending.set(false);
                    guardian.loop().wake();
                });
                if (!begun) {
                    pending.set(false); // the worker polls soon anyway
                }
            }
        }

        @Override
        public void tasksMayHaveEnded(Collection<TaskId> ids) {
            // a worker needs only due tasks
        }
    }

    /**
     * Returns this worker's name, which is stored with its attempts.
     *
     * @return the name
     */
    public String name() {
        return settings.name();
    }

    /** {@return the settings of this worker} */
    public WorkerSettings settings() {
        return settings;
    }

    /** {@return the task types that have a handler of their own} */
    public List<TaskType<?, ?>> types() {
        return handlers.ownTypes();
    }

    /**
     * Waits until this worker has ended: because it was closed, or its instance, or because the process is terminated by
     * SIGTERM, Ctrl-C or {@link System#exit}, which closes all workers unless the shutdown hook is disabled.
     *
     * @throws InterruptedException if this thread is interrupted; the worker goes on
     */
    public void awaitEnd() throws InterruptedException {
        closed.await();
    }

    /**
     * Waits until this worker has ended, but not longer than a limit.
     *
     * @param limit the longest wait
     * @return whether the worker has ended
     * @throws InterruptedException if this thread is interrupted; the worker goes on
     */
    public boolean awaitEnd(Duration limit) throws InterruptedException {
        return closed.await(Limits.boundedWait(limit).toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Stops claiming, returns tasks that have not started, and waits for running handlers up to the grace time. */
    @Override
    public void close() {
        close(closeGrace);
    }

    /**
     * Closes the worker with the given grace time instead of its own. A worker that is already closing keeps its grace
     * time.
     *
     * @param grace how long to wait for running handlers before they are interrupted and their tasks returned
     */
    public void close(Duration grace) {
        Limits.duration("close grace", grace);
        if (closing.compareAndSet(false, true)) {
            registration.close();
            closingGrace = grace;
            guardian.close(closingGrace, this::ended);
        }
        try {
            if (!closed.await(closingGrace.plus(SETTLE_GRACE).toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn(
                        "Worker closed before the store answered, its tasks become due when their leases expire:"
                                + " worker={}",
                        name());
                closed.countDown(); // so that nobody waits any longer for its end
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void ended() {
        observation.observer().slots(-settings.concurrency());
        closed.countDown();
    }

    /** A builder of a worker: its handlers and settings. Each setting is checked when it is set. */
    public static final class Builder {

        private final Components components;
        private final WorkerOptions configured;
        private final Consumer<Worker> started;
        private final Set<String> queues = new LinkedHashSet<>();
        private final Handlers.Builder handlers = Handlers.builder();
        private String name;
        private int concurrency = 16;
        private int prefetch = 2_000;
        private int maxVanished = 3;
        private long heldBytes =
                WorkerSettings.standardHeldBytes(Runtime.getRuntime().maxMemory());
        private Duration lease = Duration.ofSeconds(30);
        private Duration poll = Duration.ofSeconds(1);
        private Duration closeGrace = Duration.ofSeconds(30);

        /**
         * Creates a builder with default settings.
         *
         * @param components the parts that the workers of one instance share
         * @param queues the queues to claim from
         * @param configured the settings of a configuration, which override those in code
         * @param started gets the worker before it starts; an exception prevents the start
         */
        public Builder(Components components, List<String> queues, WorkerOptions configured, Consumer<Worker> started) {
            this.components = components;
            this.configured = configured;
            this.started = started;
            this.name = ProcessHandle.current().pid() + "-"
                    + Long.toHexString(components.random().nextLong() & 0xFFFF_FFFFL);
            queues.forEach(queue -> this.queues.add(Limits.name("queue", queue)));
        }

        /**
         * Adds the handler of a task type.
         *
         * @param type the type
         * @param handler its handler
         * @param <I> the class of the input
         * @param <O> the class of the output
         * @return this builder
         */
        public <I, O extends @Nullable Object> Builder handle(TaskType<I, O> type, Handler<I, O> handler) {
            handlers.add(Limits.notNull("task type", type), Limits.notNull("handler", handler));
            return this;
        }

        /**
         * Adds the handler of a task type behind a guard. The handler runs once for each key that the extractor returns
         * for an input; all other tasks with that key complete with the stored result.
         *
         * @param type the type
         * @param guard records the outcomes, under the task's tenant
         * @param key extracts the key from an input; if it throws, the attempt fails
         * @param handler its handler
         * @param <I> the class of the input
         * @param <O> the class of the output
         * @return this builder
         */
        public <I, O extends @Nullable Object> Builder handle(
                TaskType<I, O> type, Guard guard, KeyExtractor<? super I> key, Handler<I, O> handler) {
            return handle(Limits.notNull("task type", type), new GuardedTask<>(type, guard, key, handler));
        }

        /**
         * Adds the code of a workflow.
         *
         * @param type the workflow type
         * @param handler its code
         * @param <I> the class of the input
         * @param <O> the class of the output
         * @param <H> the class of the code
         * @return this builder
         */
        public <I, O extends @Nullable Object, H> Builder workflow(Replayed<I, O, H> type, H handler) {
            Limits.notNull("workflow type", type)
                    .register(handlers, Limits.notNull("handler", handler), components.steps());
            return this;
        }

        /**
         * Adds the handler of all types that have none of their own.
         *
         * @param settings the retry policy and timeout to use; its name does not matter
         * @param handler the handler
         * @return this builder
         */
        public Builder handleAny(TaskType<RawJson, RawJson> settings, Handler<RawJson, RawJson> handler) {
            handlers.addForAnyType(Limits.notNull("task type", settings), Limits.notNull("handler", handler));
            return this;
        }

        /**
         * Sets the worker's name.
         *
         * @param name the name; by default the process id and a random suffix
         * @return this builder
         */
        public Builder name(String name) {
            this.name = Limits.name("worker", name);
            return this;
        }

        /**
         * Sets how many handlers run at once.
         *
         * @param handlers the number; 16 by default
         * @return this builder
         */
        public Builder concurrency(int handlers) {
            this.concurrency = WorkerSettings.checkConcurrency(handlers);
            return this;
        }

        /**
         * Sets the most tasks that the worker holds in addition to those that run.
         *
         * @param tasks the number; 2,000 by default. The worker holds only as many as its handlers recently ran within
         *     50 ms
         * @return this builder
         */
        public Builder prefetch(int tasks) {
            this.prefetch = WorkerSettings.checkPrefetch(tasks);
            return this;
        }

        /**
         * Sets the most bytes of inputs and results that the worker holds, including those of running handlers. At this
         * limit the worker claims no more, but one task of any size always runs.
         *
         * @param bytes the number, 2 MiB or more; by default an eighth of the maximum heap, at most 64 MiB
         * @return this builder
         */
        public Builder heldBytes(long bytes) {
            this.heldBytes = WorkerSettings.checkHeldBytes(bytes);
            return this;
        }

        /**
         * Sets how many attempts of one task may vanish before the task fails without running again.
         *
         * @param attempts the number; 3 by default
         * @return this builder
         */
        public Builder maxVanished(int attempts) {
            this.maxVanished = WorkerSettings.checkMaxVanished(attempts);
            return this;
        }

        /**
         * Sets the length of a lease. The worker extends its leases at a third of this time.
         *
         * @param lease the length; 30 s by default
         * @return this builder
         */
        public Builder lease(Duration lease) {
            this.lease = WorkerSettings.checkLease(lease);
            return this;
        }

        /**
         * Sets the longest time between two claims of a worker with free slots, when no hint of the store arrives.
         *
         * @param interval the interval; 1 s by default
         * @return this builder
         */
        public Builder poll(Duration interval) {
            this.poll = WorkerSettings.checkPoll(interval);
            return this;
        }

        /**
         * Sets how long closing waits for running handlers before it interrupts them and returns their tasks.
         *
         * @param grace the time; 30 s by default
         * @return this builder
         */
        public Builder closeGrace(Duration grace) {
            this.closeGrace = Limits.duration("close grace", grace);
            return this;
        }

        /**
         * Starts the worker.
         *
         * @return the running worker
         * @throws InvalidInput if a setting is invalid or there is no handler
         * @throws dev.semel.task.StoreUnusable if the instance is closed
         */
        public Worker start() {
            WorkerSettings settings = new WorkerSettings(
                    name,
                    queues,
                    orElse(configured.concurrency(), concurrency),
                    orElse(configured.prefetch(), prefetch),
                    orElse(configured.lease(), lease),
                    orElse(configured.poll(), poll),
                    orElse(configured.maxVanished(), maxVanished),
                    orElse(configured.heldBytes(), heldBytes));
            settings.checkLeaseOn(components.store());
            Handlers built = handlers.build();
            Guardian guardian = new Guardian(components.store(), settings, (failed, before) -> {
                VirtualThreadHost host = new VirtualThreadHost(
                        "semel-" + name,
                        components.clock(),
                        components.random(),
                        components.timers(),
                        components.threads(),
                        failed);
                return new Guardian.Life(
                        host,
                        new WorkerLoop(
                                components.store(),
                                host,
                                settings,
                                built,
                                components.codec(),
                                components.observation(),
                                before));
            });
            Worker worker =
                    new Worker(guardian, settings, built, orElse(configured.closeGrace(), closeGrace), components);
            try {
                started.accept(worker);
            } catch (RuntimeException e) {
                worker.registration.close();
                throw e;
            }
            components.observation().observer().slots(settings.concurrency());
            guardian.start();
            return worker;
        }

        private static <T> T orElse(@Nullable T configured, T coded) {
            return configured != null ? configured : coded;
        }
    }
}
