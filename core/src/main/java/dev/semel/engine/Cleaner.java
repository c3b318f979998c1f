package dev.semel.engine;

import dev.semel.store.SweepRequest;
import dev.semel.store.Swept;
import dev.semel.store.TaskStore;
import dev.semel.task.SafeLogger;
import dev.semel.task.SemelException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Cleans a store in the background: removes what may go in small steps and rests between them as long as a step took, so
 * that whoever claims, submits or settles meanwhile gets at least every second turn.
 *
 * <p>Any number of programs may clean one store at the same time. Each begins at a time of its own by lot.
 */
public final class Cleaner implements AutoCloseable {

    private static final SafeLogger LOG = SafeLogger.of(Cleaner.class);

    private static final int STEP = 2_000;

    /**
     * How long the bare task stays in a queue with a retention of zero, after its data went with its end: so long a
     * submission that is sent again because its answer was lost is recognised.
     */
    public static final Duration BARE_RETENTION = Duration.ofHours(1);

    private final TaskStore store;
    private final Cleaning cleaning;
    private final AtomicBoolean busy = new AtomicBoolean();
    private final @Nullable ScheduledFuture<?> rounds;
    private volatile boolean closed;

    /**
     * Begins to clean from time to time, if the interval is not zero.
     *
     * @param store what to clean
     * @param cleaning when and what
     * @param random draws lots; safe for many threads
     * @param timers says when
     */
    public Cleaner(TaskStore store, Cleaning cleaning, RandomGenerator random, ScheduledExecutorService timers) {
        this.store = store;
        this.cleaning = cleaning;
        this.rounds = cleaning.interval().isZero() ? null : rounds(cleaning, random, timers);
    }

    private ScheduledFuture<?> rounds(Cleaning cleaning, RandomGenerator random, ScheduledExecutorService timers) {
        // Somewhere in the second half of the interval: programs that started together do not clean together.
        long millis = cleaning.interval().toMillis();
        long wait = millis / 2 + random.nextLong(millis - millis / 2) + 1;
        Runnable round =
                OwnThreads.tick("the background cleaning", () -> OwnThreads.run("cleaning", this::cleanQuietly));
        return timers.scheduleWithFixedDelay(round, wait, wait, TimeUnit.MILLISECONDS);
    }

    private void cleanQuietly() {
        try {
            Swept swept = clean(step -> {});
            LOG.debug("Cleaned: the data of {} tasks and {} records went", swept.tasks(), swept.records());
        } catch (SemelException e) {
            LOG.warn("Cleaning ended early: {}", e.getMessage());
        }
    }

    /**
     * Cleans once, to the end; returns at once if that goes on already.
     *
     * @param progress told after every step what went so far
     * @return what went
     * @throws dev.semel.task.StoreUnavailable if the store does not answer; what went so far is gone
     */
    public Swept clean(Consumer<Swept> progress) {
        if (!busy.compareAndSet(false, true)) {
            return new Swept(0, 0, true);
        }
        try {
            SweepRequest request = request();
            Swept sum = new Swept(0, 0, true);
            while (sum.more() && !closed && !Thread.currentThread().isInterrupted()) {
                long begun = System.nanoTime();
                Swept step = store.sweep(request);
                sum = new Swept(sum.tasks() + step.tasks(), sum.records() + step.records(), step.more());
                progress.accept(sum);
                if (sum.more()) {
                    LockSupport.parkNanos(System.nanoTime() - begun);
                }
            }
            return sum;
        } finally {
            busy.set(false);
        }
    }

    private SweepRequest request() {
        Map<String, Duration> byQueue = new HashMap<>();
        store.queues().forEach((name, queue) -> {
            Duration kept = queue.effective().retention();
            if (kept != null) {
                byQueue.put(name, kept.isZero() ? BARE_RETENTION : kept);
            }
        });
        return new SweepRequest(cleaning.retention(), byQueue, cleaning.deadLetterRetention(), STEP);
    }

    /** Ends after the step that goes on. */
    @Override
    public void close() {
        closed = true;
        if (rounds != null) {
            rounds.cancel(false);
        }
    }
}
