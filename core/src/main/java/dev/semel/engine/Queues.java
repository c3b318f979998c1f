package dev.semel.engine;

import dev.semel.store.QueueSetUp;
import dev.semel.store.QueueSettings;
import dev.semel.store.TaskStore;
import dev.semel.task.SafeLogger;
import dev.semel.task.SemelException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A cache of the queues' settings for submissions. It is filled at the first use and refreshed in the background when
 * it is more than 5 seconds old. So a busy program never waits for it, and a change takes effect after some seconds. If
 * it is more than 30 seconds old, it is refreshed before it is used.
 */
public final class Queues {

    private static final SafeLogger LOG = SafeLogger.of(Queues.class);
    private static final long FRESH_NANOS = Duration.ofSeconds(5).toNanos();
    private static final long STALE_NANOS = Duration.ofSeconds(30).toNanos();

    private final TaskStore store;
    private final OwnThreads threads;
    private final LongSupplier nanoTime;
    private final AtomicBoolean reading = new AtomicBoolean();
    private volatile @Nullable Known known;

    private record Known(Map<String, QueueSettings> settings, long readAt) {}

    /**
     * Creates an empty cache.
     *
     * @param store the store of the settings
     * @param threads refreshes the cache in the background
     * @param nanoTime a monotonic clock
     */
    public Queues(TaskStore store, OwnThreads threads, LongSupplier nanoTime) {
        this.store = store;
        this.threads = threads;
        this.nanoTime = nanoTime;
    }

    /**
     * Returns the settings of a queue. They are at most half a minute old, unless the store does not answer.
     *
     * @param queue the queue
     * @return the effective settings, from the declared and the run-time settings
     * @throws dev.semel.task.StoreUnavailable if the cache is empty and the store does not answer
     */
    public QueueSettings of(String queue) {
        Known now = known;
        long age = now == null ? 0 : nanoTime.getAsLong() - now.readAt;
        if (now == null) {
            now = read();
        } else if (age > STALE_NANOS) {
            readAgain();
            now = Objects.requireNonNullElse(known, now);
        } else if (age > FRESH_NANOS && reading.compareAndSet(false, true)) {
            if (!threads.run("refresh of queue settings", this::readAgain)) {
                reading.set(false);
            }
        }
        return now.settings.getOrDefault(queue, QueueSettings.NONE);
    }

    private Known read() {
        long at = nanoTime.getAsLong();
        Map<String, QueueSettings> settings = new HashMap<>();
        for (Map.Entry<String, QueueSetUp> queue : store.queues().entrySet()) {
            settings.put(queue.getKey(), queue.getValue().effective());
        }
        Known fresh = new Known(settings, at);
        known = fresh;
        return fresh;
    }

    private void readAgain() {
        try {
            read();
        } catch (SemelException e) {
            LOG.warn("Queue settings could not be refreshed: error={}", e.getMessage());
        } finally {
            reading.set(false);
        }
    }
}
