package dev.semel.engine;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.time.Duration;
import java.util.Set;

/**
 * How a worker works; plain values.
 *
 * @param name the worker's name, kept with every attempt
 * @param queues the queues it takes from
 * @param concurrency how many handlers run at once
 * @param prefetch the most tasks that it holds beyond those, so that a short handler never waits for the store; it holds
 *     only as many as it has lately run within a twentieth of a second
 * @param lease how long a task belongs to it unless it extends that; it does so at a third of this time
 * @param poll the longest time after which it looks for due tasks although nobody told it of any
 * @param maxVanished how many attempts of one task may vanish before the task is failed without being run again
 * @param heldBytes the most bytes of inputs and results that it holds; a single task may have more
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

    /** The most handlers that may run at once, and the most tasks held beyond those. */
    public static final int MOST_TASKS = 5_000;

    /** The fewest bytes that a worker may hold: the input and the result of one task. */
    public static final long FEWEST_BYTES = 2L * Limits.DOCUMENT_BYTES;

    private static final long MOST_BYTES_BY_ITSELF = 64L << 20;

    // A claim's answer and what handlers make of their inputs take several times as much for a moment.
    private static final int SHARE_OF_THE_HEAP = 8;

    /** The shortest lease: heartbeats at a third of it must have a chance to arrive. */
    public static final Duration SHORTEST_LEASE = Duration.ofMillis(100);

    /** Checks each setting, and those that depend on each other. */
    public WorkerSettings {
        Limits.name("worker", name);
        queues = Set.copyOf(queues);
        if (queues.isEmpty()) {
            throw new InvalidInput("A worker takes from at least one queue, but got none.");
        }
        queues.forEach(queue -> Limits.name("queue", queue));
        between("concurrency", concurrency, 1, MOST_TASKS);
        between("prefetch", prefetch, 0, MOST_TASKS);
        between("maximum of vanished attempts", maxVanished, 1, 1_000);
        if (heldBytes < FEWEST_BYTES) {
            throw new InvalidInput("A worker holds " + FEWEST_BYTES + " bytes or more, but got \"" + heldBytes + "\".");
        }
        Limits.positive("lease", lease);
        Limits.positive("poll interval", poll);
        if (lease.compareTo(SHORTEST_LEASE) < 0) {
            throw new InvalidInput("A lease is at least 100 ms, but got \"" + lease + "\".");
        }
    }

    /**
     * The standard settings for one queue: 16 handlers at once, a lease of 30 s.
     *
     * @param name the worker's name
     * @param queue the queue
     * @return the settings
     */
    public static WorkerSettings standard(String name, String queue) {
        return new WorkerSettings(
                name,
                Set.of(queue),
                16,
                2_000,
                Duration.ofSeconds(30),
                Duration.ofSeconds(1),
                3,
                standardHeldBytes(Runtime.getRuntime().maxMemory()));
    }

    /**
     * The bytes that a worker holds unless it is told otherwise.
     *
     * @param maxHeap the most bytes of this program's heap
     * @return an eighth of that, 64 MiB at the most
     */
    public static long standardHeldBytes(long maxHeap) {
        return Math.max(FEWEST_BYTES, Math.min(MOST_BYTES_BY_ITSELF, maxHeap / SHARE_OF_THE_HEAP));
    }

    private static void between(String what, int value, int least, int most) {
        if (value < least || value > most) {
            throw new InvalidInput(
                    "A worker's " + what + " is " + least + " to " + most + ", but got \"" + value + "\".");
        }
    }
}
