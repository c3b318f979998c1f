package dev.semel.engine;

import dev.semel.store.TaskStore;
import dev.semel.task.Durations;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.time.Duration;
import java.util.Set;

/**
 * The settings of a worker.
 *
 * @param name the worker's name, which is stored with every attempt
 * @param queues the queues to claim from
 * @param concurrency how many handlers run at once
 * @param prefetch the most tasks that the worker holds in addition to those that run, so that a short handler never
 *     waits for the store; it holds only as many as it recently ran within 50 ms and the time of a claim
 * @param lease the length of a lease; the worker extends its leases at a third of this time
 * @param poll the longest time between two claims of a worker with free slots, when no hint of the store arrives
 * @param maxVanished how many attempts of one task may vanish before the task fails without running again
 * @param heldBytes the most bytes of inputs and results that the worker holds; a single task may have more
 */
public record WorkerSettings(
        String name,
        Set<String> queues,
        int concurrency,
        int prefetch,
        Duration lease,
        Duration poll,
        int maxVanished,
        long heldBytes) {

    /** The highest concurrency, and the highest prefetch. */
    public static final int MOST_TASKS = 5_000;

    /** The fewest bytes that a worker may hold: the input and the result of one task. */
    public static final long FEWEST_BYTES = 2L * Limits.DOCUMENT_BYTES;

    private static final long MOST_BYTES_BY_ITSELF = 64L << 20;

    // The answer to a claim, and the objects that handlers decode, need several times as much memory for a short time.
    private static final int SHARE_OF_THE_HEAP = 8;

    /** The shortest lease. A heartbeat is sent at a third of it and needs time to reach the store. */
    public static final Duration SHORTEST_LEASE = Duration.ofMillis(100);

    /** Validates the settings. */
    public WorkerSettings {
        Limits.name("worker", name);
        Limits.notNull("set of queues", queues).forEach(queue -> Limits.name("queue", queue));
        queues = Set.copyOf(queues);
        if (queues.isEmpty()) {
            throw new InvalidInput("A worker claims from at least one queue, but got none.");
        }
        checkConcurrency(concurrency);
        checkPrefetch(prefetch);
        checkMaxVanished(maxVanished);
        checkHeldBytes(heldBytes);
        checkLease(lease);
        checkPoll(poll);
    }

    static int checkConcurrency(int concurrency) {
        return between("concurrency", concurrency, 1, MOST_TASKS);
    }

    static int checkPrefetch(int prefetch) {
        return between("prefetch", prefetch, 0, MOST_TASKS);
    }

    static int checkMaxVanished(int maxVanished) {
        return between("maximum of vanished attempts", maxVanished, 1, 1_000);
    }

    static long checkHeldBytes(long heldBytes) {
        if (heldBytes < FEWEST_BYTES) {
            throw new InvalidInput("A worker holds " + FEWEST_BYTES + " bytes or more, but got \"" + heldBytes + "\".");
        }
        return heldBytes;
    }

    static Duration checkLease(Duration lease) {
        Limits.positive("lease", lease);
        if (lease.compareTo(SHORTEST_LEASE) < 0) {
            throw new InvalidInput("A lease is at least 100 ms, but got \"" + Durations.shown(lease) + "\".");
        }
        return lease;
    }

    /** Checks that a store accepts the lease. */
    void checkLeaseOn(TaskStore store) {
        Duration shortest = store.shortestLease();
        if (lease.compareTo(shortest) < 0) {
            throw new InvalidInput(
                    "A lease is at least " + Durations.shown(shortest) + " on this store, whose writes may"
                            + " take long, but the worker's is \"" + Durations.shown(lease) + "\". Set a longer one.");
        }
    }

    static Duration checkPoll(Duration poll) {
        return Limits.positive("poll interval", poll);
    }

    /**
     * Returns the default settings for one queue: 16 handlers at once, a lease of 30 s.
     *
     * @param name the worker's name
     * @param queue the queue
     * @return the settings
     */
    public static WorkerSettings standard(String name, String queue) {
        return new WorkerSettings(
                name,
                Set.of(Limits.name("queue", queue)),
                16,
                2_000,
                Duration.ofSeconds(30),
                Duration.ofSeconds(1),
                3,
                standardHeldBytes(Runtime.getRuntime().maxMemory()));
    }

    /**
     * Returns the default for {@link #heldBytes()}.
     *
     * @param maxHeap the maximum size of this program's heap, in bytes
     * @return an eighth of that, at least 2 MiB and at most 64 MiB
     */
    public static long standardHeldBytes(long maxHeap) {
        return Math.max(FEWEST_BYTES, Math.min(MOST_BYTES_BY_ITSELF, maxHeap / SHARE_OF_THE_HEAP));
    }

    private static int between(String what, int value, int least, int most) {
        if (value < least || value > most) {
            throw new InvalidInput(
                    "A worker's " + what + " is " + least + " to " + most + ", but got \"" + value + "\".");
        }
        return value;
    }
}
