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
 * The settings of queues, as a submission needs them: read at the first use, and again in the background when they are a
 * few seconds old. So a busy program never waits for them, and a change is heeded after some seconds. After a pause they
 * are read again before they are used.
 */
public final class Queues {

    private static final SafeLogger LOG = SafeLogger.of(Queues.class);
    private static final long FRESH_NANOS = Duration.ofSeconds(5).toNanos();
    private static final long STALE_NANOS = Duration.ofSeconds(30).toNanos();

    private final TaskStore store;
    private final LongSupplier nanoTime;
    private final AtomicBoolean reading = new AtomicBoolean();
    private volatile @Nullable Known known;

    private record Known(Map<String, QueueSettings> settings, long readAt) {}

    /**
     * Reads nothing yet.
     *
     * @param store where the settings are
     * @param nanoTime a clock that never jumps
     */
    public Queues(TaskStore store, LongSupplier nanoTime) {
        this.store = store;
        this.nanoTime = nanoTime;
    }

    /**
     * The settings of a queue, at most half a minute old, unless the store does not answer.
     *
     * @param queue the queue
     * @return what holds of declared and run-time settings
     * @throws dev.semel.task.StoreUnavailable if they were never read and the store does not answer
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
            if (!OwnThreads.run("a look at the settings of queues", this::readAgain)) {
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
            LOG.warn("The store did not answer a look at the settings of queues: {}", e.getMessage());
        } finally {
            reading.set(false);
        }
    }
}
