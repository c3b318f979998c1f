package dev.semel.engine;

import dev.semel.guard.Guard;
import dev.semel.guard.KeyExtractor;
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

/** A running worker. Closing it stops claiming, waits for its handlers, and returns the rest unharmed. */
public final class Worker implements AutoCloseable {

    private static final SafeLogger LOG = SafeLogger.of(Worker.class);

    // Beyond the grace for handlers: the time to settle what they left.
    private static final Duration SETTLE_GRACE = Duration.ofSeconds(10);

    private final Guardian guardian;
    private final WorkerSettings settings;
    private final Duration closeGrace;
    private final TaskStore.Registration registration;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final AtomicBoolean closing = new AtomicBoolean();
    private volatile Duration closingGrace;

    private Worker(Guardian guardian, WorkerSettings settings, Duration closeGrace, TaskStore store) {
        this.guardian = guardian;
        this.settings = settings;
        this.closeGrace = closeGrace;
        this.closingGrace = closeGrace;
        this.registration = store.listen(new Waker());
    }

    private final class Waker implements StoreListener {

        private final AtomicBoolean pending = new AtomicBoolean();

        @Override
        public void tasksMayBeDue(Collection<String> queues) {
            boolean ours = queues.isEmpty() || queues.stream().anyMatch(settings.queues()::contains);
            // A thread of its own, because a step may run on the thread that brings it and this one is the store's.
            if (ours && pending.compareAndSet(false, true)) {
                boolean begun = OwnThreads.run("a hint for a worker", () -> {
                    pending.set(false);
                    guardian.loop().wake();
                });
                if (!begun) {
                    pending.set(false); // the worker looks by itself soon
                }
            }
        }

        @Override
        public void tasksMayHaveEnded(Collection<TaskId> ids) {
            // of no interest here
        }
    }

    /**
     * This worker's name, as it is kept with its attempts.
     *
     * @return the name
     */
    public String name() {
        return settings.name();
    }

    /** Stops claiming, waits for running handlers up to the grace time, and returns what has not begun. */
    @Override
    public void close() {
        close(closeGrace);
    }

    /**
     * Closes with another grace time than the worker's own. A worker that is closing already keeps the grace that it began with.
     *
     * @param grace how long to wait for running handlers before they are interrupted and their tasks returned
     */
    public void close(Duration grace) {
        if (closing.compareAndSet(false, true)) {
            registration.close();
            closingGrace = Limits.duration("close grace", grace);
            guardian.close(closingGrace, closed::countDown);
        }
        try {
            if (!closed.await(closingGrace.plus(SETTLE_GRACE).toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn(
                        "Worker {} gave up waiting for the store; its tasks become due when their leases run out",
                        name());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Collects a worker's handlers and settings; each is checked as it is set. */
    public static final class Builder {

        private final Components components;
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
         * Starts a worker's settings.
         *
         * @param components what it is made of
         * @param queues the queues to take from
         * @param started told of the worker once it runs
         */
        public Builder(Components components, List<String> queues, Consumer<Worker> started) {
            this.components = components;
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
            handlers.add(type, handler);
            return this;
        }

        /**
         * Adds the handler of a task type behind a guard: for each key that the extractor finds in an input it runs once,
         * whichever task brings it, and all other tasks complete with the stored result.
         *
         * @param type the type
         * @param guard remembers what has happened, under the task's tenant
         * @param key finds the key; if it fails, the attempt fails
         * @param handler its handler
         * @param <I> the class of the input
         * @param <O> the class of the output
         * @return this builder
         */
        public <I, O extends @Nullable Object> Builder handle(
                TaskType<I, O> type, Guard guard, KeyExtractor<? super I> key, Handler<I, O> handler) {
            return handle(type, new GuardedTask<>(type, guard, key, handler));
        }

        /**
         * Adds the handler of all types that have none of their own.
         *
         * @param settings the retry policy and timeout to use; its name does not matter
         * @param handler the handler
         * @return this builder
         */
        public Builder handleAny(TaskType<RawJson, RawJson> settings, Handler<RawJson, RawJson> handler) {
            handlers.addForAnyType(settings, handler);
            return this;
        }

        /**
         * Sets the worker's name.
         *
         * @param name the name; by default the process id and a lot
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
            this.concurrency = handlers;
            return this;
        }

        /**
         * Sets the most tasks that the worker holds beyond those that run.
         *
         * @param tasks the number; 2,000 by default, of which only as many are held as short handlers use up at once
         * @return this builder
         */
        public Builder prefetch(int tasks) {
            this.prefetch = tasks;
            return this;
        }

        /**
         * Sets the most bytes of inputs and results that the worker holds, those of running handlers included. While it
         * holds as much, it claims no more. A single task is always run.
         *
         * @param bytes the number, 2 MiB or more; by default an eighth of the largest heap, 64 MiB at the most
         * @return this builder
         */
        public Builder heldBytes(long bytes) {
            this.heldBytes = bytes;
            return this;
        }

        /**
         * Sets how many attempts of one task may vanish before the task is failed without being run again.
         *
         * @param attempts the number; 3 by default
         * @return this builder
         */
        public Builder maxVanished(int attempts) {
            this.maxVanished = attempts;
            return this;
        }

        /**
         * Sets how long a task belongs to the worker unless it extends that, which it does at a third of this time.
         *
         * @param lease the time; 30 s by default
         * @return this builder
         */
        public Builder lease(Duration lease) {
            this.lease = lease;
            return this;
        }

        /**
         * Sets the longest time after which the worker looks for due tasks although nobody told it of any.
         *
         * @param interval the time; 1 s by default
         * @return this builder
         */
        public Builder poll(Duration interval) {
            this.poll = interval;
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
         * @throws InvalidInput if a setting is wrong or there is no handler
         */
        public Worker start() {
            WorkerSettings settings =
                    new WorkerSettings(name, queues, concurrency, prefetch, lease, poll, maxVanished, heldBytes);
            Handlers built = handlers.build();
            Guardian guardian = new Guardian(components.store(), settings, (failed, before) -> {
                VirtualThreadHost host = new VirtualThreadHost(
                        "semel-" + name, components.clock(), components.random(), components.timers(), failed);
                return new Guardian.Life(
                        host, new WorkerLoop(components.store(), host, settings, built, components.codec(), before));
            });
            Worker worker = new Worker(guardian, settings, closeGrace, components.store());
            started.accept(worker);
            guardian.start();
            return worker;
        }
    }
}
