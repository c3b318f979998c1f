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
 * The background cleaning of a store: sweeps expired tasks and records in small steps. After each step it rests as long
 * as the step took, so that claims, submissions and settlements get at least half of the store's time.
 *
 * <p>Any number of programs may clean one store at the same time. Each starts at a random time.
 */
public final class Cleaner implements AutoCloseable {

    private static final SafeLogger LOG = SafeLogger.of(Cleaner.class);

    private static final int STEP = 2_000;

    // A check is one look into an index that is nearly always empty.
    private static final Duration LONGEST_WATCH = Duration.ofSeconds(10);

    /**
     * How long a task without its data is kept in a queue with a retention of zero, where the data is deleted when the
     * task ends. During this time a submission that is repeated because its answer was lost is recognised.
     */
    public static final Duration BARE_RETENTION = Duration.ofHours(1);

    private final TaskStore store;
    private final Cleaning cleaning;
    private final AtomicBoolean busy = new AtomicBoolean();
    private final ScheduledExecutorService timers;
    private final OwnThreads threads;
    private final @Nullable ScheduledFuture<?> rounds;
    private @Nullable ScheduledFuture<?> watch;
    private Duration watchInterval = LONGEST_WATCH.plusMillis(1);
    private volatile boolean closed;

    /**
     * Schedules the cleaning, unless the interval is zero.
     *
     * @param store the store to clean
     * @param cleaning the interval and the retention times
     * @param random the source of randomness; thread-safe
     * @param timers schedules the cleaning
     * @param threads runs the cleaning
     */
    public Cleaner(
            TaskStore store,
            Cleaning cleaning,
            RandomGenerator random,
            ScheduledExecutorService timers,
            OwnThreads threads) {
        this.store = store;
        this.cleaning = cleaning;
        this.timers = timers;
        this.threads = threads;
        this.rounds = cleaning.interval().isZero() ? null : rounds(cleaning, random, timers, threads);
    }

    private ScheduledFuture<?> rounds(
            Cleaning cleaning, RandomGenerator random, ScheduledExecutorService timers, OwnThreads threads) {
        // At a random time in the second half of the interval, so that programs that start together clean separately.
        long millis = cleaning.interval().toMillis();
        long wait = millis / 2 + random.nextLong(millis - millis / 2) + 1;
        Runnable round = OwnThreads.tick("the background cleaning", () -> threads.run("cleaning", this::cleanQuietly));
        return timers.scheduleWithFixedDelay(round, wait, wait, TimeUnit.MILLISECONDS);
    }

    /**
     * Ends vanished attempts of tasks that were asked to cancel, in all queues, from now on and repeatedly. Usually a
     * claim of their queue does so. But if the only worker of a queue was killed, and its task was replaced by one of
     * another queue, that one would wait for the next cleaning. Several calls are one, at the shortest interval.
     *
     * @param interval how often; 10 s at the most
     */
    public synchronized void endVanishedEvery(Duration interval) {
        Duration bounded = interval.compareTo(LONGEST_WATCH) < 0 ? interval : LONGEST_WATCH;
        if (closed || bounded.compareTo(watchInterval) >= 0) {
            return;
        }
        if (watch != null) {
            watch.cancel(false);
        }
        watchInterval = bounded;
        long millis = Math.max(1, bounded.toMillis());
        Runnable round = OwnThreads.tick(
                "the end of vanished attempts", () -> threads.run("end of vanished attempts", this::endVanished));
        watch = timers.scheduleWithFixedDelay(round, millis, millis, TimeUnit.MILLISECONDS);
    }

    private void endVanished() {
        try {
            store.sweep(SweepRequest.ofVanished());
        } catch (SemelException e) {
            LOG.debug("Vanished attempts could not be ended, will be retried: error={}", e.getMessage());
        }
    }

    private void cleanQuietly() {
        try {
            Swept swept = clean(step -> {});
            LOG.debug("Store cleaned: tasks={} records={}", swept.tasks(), swept.records());
        } catch (SemelException e) {
            LOG.warn("Cleaning stopped early, will be continued at the next interval: error={}", e.getMessage());
        }
    }

    /**
     * Cleans the store until nothing is left to remove. Returns at once if a cleaning is running already.
     *
     * @param progress gets the sum of what was removed so far, after every step
     * @return the sum of what was removed
     * @throws dev.semel.task.StoreUnavailable if the store does not answer; completed steps are not undone
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
        return new SweepRequest(
                cleaning.retention(), byQueue, cleaning.workflowRetention(), cleaning.deadLetterRetention(), STEP);
    }

    /** Stops the cleaning after the current step. */
    @Override
    public synchronized void close() {
        closed = true;
        if (watch != null) {
            watch.cancel(false);
        }
        if (rounds != null) {
            rounds.cancel(false);
        }
    }
}
