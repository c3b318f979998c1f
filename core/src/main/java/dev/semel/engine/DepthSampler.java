package dev.semel.engine;

import dev.semel.guard.Guard;
import dev.semel.guard.Outcome;
import dev.semel.guard.WhenBusy;
import dev.semel.observe.Observer;
import dev.semel.store.QueueDepth;
import dev.semel.store.TaskStore;
import dev.semel.task.SafeLogger;
import dev.semel.task.SemelException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The regular reading of the depths of all queues, for an observer. Counting tasks is the only metric that costs the store
 * anything, so it is read on an interval and not when somebody looks.
 *
 * <p>With a guard, one process of all that share it reads in each interval: the key is the number of the interval, and the
 * guard runs one call for each key. The others report nothing, so that no value is older than an interval. Two processes whose
 * clocks differ may both read.
 */
public final class DepthSampler implements AutoCloseable {

    private static final SafeLogger LOG = SafeLogger.of(DepthSampler.class);

    /** The shortest interval. */
    public static final Duration SHORTEST_INTERVAL = Duration.ofSeconds(1);

    private static final int KEPT_INTERVALS = 10;
    private static final int MOST_SEEN = 1_000;

    private final TaskStore store;
    private final Observer observer;
    private final Duration interval;
    private final @Nullable Guard turns;
    private final InstantSource clock;
    private final Supplier<Set<String>> worked;
    private @Nullable ScheduledFuture<?> ticks;

    // Used by one reading at a time.
    private final Set<String> seen = new TreeSet<>();

    // Used by one reading at a time. The number of the last interval in which this process read.
    private volatile long lastRead = -1;

    /**
     * Creates a sampler that is not started.
     *
     * @param store the store to read
     * @param observer gets the depths
     * @param interval the time between two readings
     * @param turns lets one process read in each interval; null if this one always reads
     * @param clock this machine's clock
     * @param worked the queues of this process's workers
     */
    public DepthSampler(
            TaskStore store,
            Observer observer,
            Duration interval,
            @Nullable Guard turns,
            InstantSource clock,
            Supplier<Set<String>> worked) {
        this.store = store;
        this.observer = observer;
        this.interval = interval;
        this.turns = turns;
        this.clock = clock;
        this.worked = worked;
    }

    /**
     * Starts the readings; the first one follows at once.
     *
     * @param timers schedules the readings
     * @param threads runs them
     */
    public void start(ScheduledExecutorService timers, OwnThreads threads) {
        Runnable tick = OwnThreads.tick("the reading of depths", () -> threads.run("depths", this::sample));
        ticks = timers.scheduleWithFixedDelay(tick, 0, interval.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Reads the depths, if it is this process's turn. */
    synchronized void sample() {
        try {
            if (turns == null) {
                read();
            } else {
                takeTurn(turns);
            }
        } catch (SemelException e) {
            LOG.warn("Depths of queues not read, next try at the next interval: error={}", e.getMessage());
            observer.depths(Map.of(), clock.instant());
        }
    }

    private void takeTurn(Guard guard) {
        long number = Math.floorDiv(clock.instant().toEpochMilli(), interval.toMillis());
        if (number == lastRead) {
            return; // two ticks in one interval
        }
        Outcome<Boolean> turn = guard.call("semel.depths/" + interval.toMillis() + "/" + number)
                .type("semel.depths")
                .ttl(interval.multipliedBy(KEPT_INTERVALS))
                .whenBusy(WhenBusy.SKIP)
                .outcome(Boolean.class, token -> {
                    read();
                    return true;
                });
        switch (turn) {
            case Outcome.Ran<Boolean> ran -> lastRead = number;
            case Outcome.Unguarded<Boolean> unguarded -> lastRead = number;
            case Outcome.Repeated<Boolean> repeated -> observer.depths(Map.of(), clock.instant());
            case Outcome.Skipped<Boolean> skipped -> observer.depths(Map.of(), clock.instant());
        }
    }

    /**
     * Reads and reports. A store need not name queues that have nothing to do, but a graph that ends says something else than one at
     * zero: that nobody reads. So the queues of workers, and those that were seen before, are reported in any case.
     */
    private void read() {
        Instant now = clock.instant();
        Map<String, QueueDepth> depths = new TreeMap<>(store.depths());
        for (String queue : depths.keySet()) {
            if (seen.size() < MOST_SEEN) {
                seen.add(queue);
            }
        }
        seen.forEach(queue -> depths.putIfAbsent(queue, QueueDepth.EMPTY));
        worked.get().forEach(queue -> depths.putIfAbsent(queue, QueueDepth.EMPTY));
        observer.depths(depths, now);
    }

    /** Stops the readings. */
    @Override
    public void close() {
        ScheduledFuture<?> scheduled = ticks;
        if (scheduled != null) {
            scheduled.cancel(false);
        }
    }
}
