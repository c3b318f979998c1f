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
 * The real host: handlers on virtual threads of their own, calls of the store on platform threads. Steps run on whichever
 * thread brings one while none runs, so a handler that ends settles its task without waking another thread.
 *
 * <p>A step that throws has left the worker's state half changed, and so has a step that was to run and could not: then the
 * host has failed. It runs nothing more, so the worker extends no lease; the {@link Guardian} deals with the rest. To get that
 * far needs no memory: the answer of a call is delivered by an object that was made before the call.
 */
public final class VirtualThreadHost implements WorkerHost {

    private final InstantSource clock;
    private final RandomGenerator random;
    private final ScheduledExecutorService timers;
    private final String name;
    private final Runnable failed;

    private final Object lock = new Object();
    private @Nullable Step first;
    private @Nullable Step last;
    private boolean running;

    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    /**
     * Makes a host for one worker.
     *
     * @param name the worker's name, for its threads
     * @param clock this machine's clock
     * @param random the source of randomness; safe for many threads
     * @param timers runs what waits for its time
     * @param failed called once if the host fails; must need no memory
     */
    public VirtualThreadHost(
            String name,
            InstantSource clock,
            RandomGenerator random,
            ScheduledExecutorService timers,
            Runnable failed) {
        this.name = name;
        this.clock = clock;
        this.random = random;
        this.timers = timers;
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

    /** Ends the work of this host for good: no further step runs. Needs no memory. */
    void fail(Throwable because) {
        if (failure.compareAndSet(null, because)) {
            failed.run();
        }
    }

    /** Why this host has failed; null if it has not. */
    @Nullable
    Throwable failure() {
        return failure.get();
    }

    /** Whether calls of the store are under way. */
    boolean isCalling() {
        return calls.get() > 0;
    }

    /** Whether a step runs; if the host has failed, none begins any more. */
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
            return () -> {}; // closed: nothing happens later any more
        }
    }

    @Override
    public <T> void call(Supplier<T> call, Consumer<T> answered, Consumer<RuntimeException> failed) {
        Call<T> made = new Call<>(call, answered, failed);
        calls.incrementAndGet();
        try {
            OwnThreads.execute(made.carrier);
        } catch (Throwable e) {
            // No thread can be had: somebody waits for the answer all the same.
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

    /** A step like any. */
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

    /** A call of the store, and the step that delivers its answer. */
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
                                : new IllegalStateException("A call to the store ended in an error", thrown));
            }
        }
    }
}
