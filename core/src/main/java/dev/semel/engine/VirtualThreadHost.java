package dev.semel.engine;

import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The production host: each handler runs on a virtual thread, store calls run on platform threads. A step runs on the
 * thread that submits it unless another step is running, so a handler that ends settles its task without waking another
 * thread.
 *
 * <p>The host fails if a step throws, which leaves the worker's state half changed, or if a step could not be run. A
 * failed host runs no further step, so the worker extends no lease; the {@link Guardian} recovers it. Failing needs no
 * memory: the answer of a call is delivered by an object that is created before the call.
 */
public final class VirtualThreadHost implements WorkerHost {

    private final InstantSource clock;
    private final RandomGenerator random;
    private final ScheduledExecutorService timers;
    private final OwnThreads threads;
    private final String name;
    private final Runnable failed;

    private final Object lock = new Object();
    private @Nullable Step first;
    private @Nullable Step last;
    private boolean running;

    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    /**
     * Creates a host for one worker.
     *
     * @param name the name of the handlers' threads
     * @param clock this machine's clock
     * @param random the source of randomness; thread-safe
     * @param timers runs delayed steps
     * @param threads runs store calls
     * @param failed called once if the host fails; must not allocate memory
     */
    public VirtualThreadHost(
            String name,
            InstantSource clock,
            RandomGenerator random,
            ScheduledExecutorService timers,
            OwnThreads threads,
            Runnable failed) {
        this.name = name;
        this.clock = clock;
        this.random = random;
        this.timers = timers;
        this.threads = threads;
        this.failed = failed;
    }

    @Override
    public InstantSource clock() {
        return clock;
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    @Override
    public void execute(Runnable step) {
        Step queued;
        try {
            queued = step instanceof Step made ? made : new Plain(step);
        } catch (Throwable e) {
            fail(e);
            return;
        }
        synchronized (lock) {
            if (last == null) {
                first = queued;
            } else {
                last.next = queued;
            }
            last = queued;
            if (running) {
                return;
            }
            running = true;
        }
        runAll();
    }

    private void runAll() {
        for (Step step = next(); step != null; step = next()) {
            try {
                step.run();
            } catch (Throwable e) {
                fail(e);
            }
        }
    }

    private @Nullable Step next() {
        synchronized (lock) {
            Step step = failure.get() == null ? first : null;
            if (step == null) {
                first = null;
                last = null;
                running = false;
                return null;
            }
            first = step.next;
            if (first == null) {
                last = null;
            }
            step.next = null;
            return step;
        }
    }

    /** Stops this host permanently: no further step runs. Allocates no memory. */
    void fail(Throwable because) {
        if (failure.compareAndSet(null, because)) {
            failed.run();
        }
    }

    /** Returns why this host failed, or null. */
    @Nullable
    Throwable failure() {
        return failure.get();
    }

    /** Returns whether store calls are in flight. */
    boolean isCalling() {
        return calls.get() > 0;
    }

    /** Returns whether a step is running; once the host has failed, no step starts any more. */
    boolean isRunning() {
        synchronized (lock) {
            return running;
        }
    }

    @Override
    public Timer later(Duration delay, Runnable step) {
        try {
            ScheduledFuture<?> future = timers.schedule(() -> execute(step), delay.toMillis(), TimeUnit.MILLISECONDS);
            return () -> future.cancel(false);
        } catch (RejectedExecutionException e) {
            return () -> {}; // the instance is closed: delayed steps do not run any more
        }
    }

    @Override
    public <T> void call(Supplier<T> call, Consumer<T> answered, Consumer<RuntimeException> failed) {
        Call<T> made = new Call<>(call, answered, failed);
        calls.incrementAndGet();
        try {
            threads.execute(made.carrier);
        } catch (Throwable e) {
            // No thread is available, and a step waits for the answer: it gets the error.
            calls.decrementAndGet();
            made.thrown = e;
            execute(made);
        }
    }

    @Override
    public Started start(Runnable handler) {
        Thread thread = Thread.ofVirtual().name(name).start(handler);
        return thread::interrupt;
    }

    @Override
    public <T> T await(CompletableFuture<T> future) throws InterruptedException {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e.getCause());
        }
    }

    /** A step that wraps a plain runnable. */
    private static final class Plain extends Step {

        private final Runnable step;

        Plain(Runnable step) {
            this.step = step;
        }

        @Override
        public void run() {
            step.run();
        }
    }

    /** A store call, and the step that delivers its answer. */
    private final class Call<T> extends Step {

        private final Supplier<T> call;
        private final Consumer<T> answered;
        private final Consumer<RuntimeException> failed;
        private final Runnable carrier = this::carry;
        private @Nullable T answer;
        private @Nullable Throwable thrown;

        Call(Supplier<T> call, Consumer<T> answered, Consumer<RuntimeException> failed) {
            this.call = call;
            this.answered = answered;
            this.failed = failed;
        }

        private void carry() {
            try {
                answer = call.get();
            } catch (Throwable e) {
                thrown = e;
            }
            calls.decrementAndGet();
            execute(this);
        }

        @Override
        public void run() {
            T value = answer;
            if (value != null) {
                answered.accept(value);
            } else {
                failed.accept(
                        thrown instanceof RuntimeException e
                                ? e
                                : new IllegalStateException("A store call failed with a Java error", thrown));
            }
        }
    }
}
