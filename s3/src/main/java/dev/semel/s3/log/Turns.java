package dev.semel.s3.log;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Fairness between processes that compete for the next number of the log. A process that has lost tries again at once; one
 * that has won lets as many entries of others go first as there are others at work, for as long as that takes about. So those
 * that have waited compete with ever fewer, however slow their connection is. What arrives meanwhile shares the next entry, so
 * a pause costs latency and no throughput.
 */
final class Turns {

    // An author that has written within this time competes.
    private static final long AT_WORK_NANOS = TimeUnit.SECONDS.toNanos(2);

    // Far below the third of the shortest lease, after which a worker extends it.
    private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(1);

    private static final int MOST_AUTHORS = 1_000;

    private final Map<String, Long> others = new HashMap<>();
    private long put = TimeUnit.MILLISECONDS.toNanos(1);
    private long notBefore = System.nanoTime();

    /** Takes in that another process has written an entry. */
    void lost(String author) {
        if (others.size() >= MOST_AUTHORS) {
            others.clear();
        }
        others.put(author, System.nanoTime());
    }

    /** Takes in that this process has written an entry, which took so long. */
    void won(long nanos) {
        put = (3 * put + nanos) / 4;
        long now = System.nanoTime();
        others.values().removeIf(at -> now - at > AT_WORK_NANOS);
        notBefore = now + Math.min(LONGEST_PAUSE, others.size() * put);
    }

    /** Waits until it is this process's turn. */
    void await() {
        for (long left = notBefore - System.nanoTime(); left > 0; left = notBefore - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
