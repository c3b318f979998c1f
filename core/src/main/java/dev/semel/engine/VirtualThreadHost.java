package dev.semel.engine;

import dev.semel.task.SafeLogger;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The real host: handlers on virtual threads of their own, calls of the store on platform threads. Steps run on whichever
 * thread brings one while none runs, so a handler that ends settles its task without waking another thread.
 */
public final class VirtualThreadHost implements WorkerHost {

    private static final SafeLogger LOG = SafeLogger.of(VirtualThreadHost.class);

    // Few at a time: a worker's claim, its settlement, its heartbeat, and looks at the ledger. A driver that waits for
    // its server on a virtual
    // thread
    // is woken by way of another thread, at every answer; that cost a worker on PostgreSQL a tenth of its speed.
    private static final Executor CALLS = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("semel-store-call-", 0).factory());

    private final InstantSource clock;
    private final RandomGenerator random;
    private final ScheduledExecutorService timers;
    private final String name;
    private final Queue<Runnable> steps = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();

    /**
     * Makes a host for one worker.
     *
     * @param name the worker's name, for its threads
     * @param clock this machine's clock
     * @param random draws lots; safe for many threads
     * @param timers runs what waits for its time
     */
    public VirtualThreadHost(
            String name, InstantSource clock, RandomGenerator random, ScheduledExecutorService timers) {
        this.name = name;
        this.clock = clock;
        this.random = random;
        this.timers = timers;
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
        steps.add(step);
        if (waiting.getAndIncrement() == 0) {
            do {
                run(steps.poll());
            } while (waiting.decrementAndGet() > 0);
        }
    }

    private static void run(@Nullable Runnable step) {
        try {
            if (step != null) {
                step.run();
            }
        } catch (Throwable e) {
            LOG.error("A step of a worker failed; this is a bug in Semel", e);
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
        try {
            CALLS.execute(() -> answer(call, answered, failed));
        } catch (RuntimeException | Error e) {
            // No thread can be had: somebody waits for the answer all the same.
            execute(() -> failed.accept(new IllegalStateException("A call to the store could not be begun", e)));
        }
    }

    private <T> void answer(Supplier<T> call, Consumer<T> answered, Consumer<RuntimeException> failed) {
        T answer;
        try {
            answer = call.get();
        } catch (RuntimeException e) {
            execute(() -> failed.accept(e));
            return;
        } catch (Throwable e) {
            execute(() -> failed.accept(new IllegalStateException("A call to the store ended in an error", e)));
            return;
        }
        execute(() -> answered.accept(answer));
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
}
