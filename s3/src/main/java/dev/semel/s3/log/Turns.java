package dev.semel.s3.log;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Fairness between processes that compete for the next number of the log. All of them see the same entries, so all know the same
 * order: the one that wrote least recently goes first. A process waits, before it creates an entry, for as long as those
 * before it take about. So few numbers are lost, and nobody waits for more than about one entry of each other process, however
 * slow its connection is. What arrives meanwhile shares the next entry: a pause costs latency and no throughput.
 *
 * <p>A process that is before another need not want to write. So the pause becomes shorter after a few numbers that were lost. A
 * process that has not written for a while is before all others and does not wait.
 */
final class Turns {

    // An author that has written within this time competes.
    private static final long AT_WORK_NANOS = TimeUnit.SECONDS.toNanos(2);

    // Far below the third of the shortest lease, after which a worker extends it.
    private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(1);

    private static final int MOST_AUTHORS = 1_000;

    /** The newest entry of an author: its place in the order of those that were seen, and when it was seen. */
    private record Seen(long place, long at) {}

    // So many lost numbers count as one process before this one that does not want to write.
    private static final int LOSSES_EACH = 4;

    private final Map<String, Seen> others = new HashMap<>();
    private long places;
    private long own;
    private long put = TimeUnit.MILLISECONDS.toNanos(1);
    private long notBefore = System.nanoTime();
    private int losses;
    private boolean racing;

    /** Takes in that another process has written an entry. */
    void wrote(String author) {
        if (others.size() >= MOST_AUTHORS) {
            others.clear();
        }
        others.put(author, new Seen(++places, System.nanoTime()));
    }

    /** Takes in that another process was first, which it took so long to learn. */
    void lost(long nanos) {
        put = (3 * put + nanos) / 4;
        losses++;
        racing = true;
    }

    /** Takes in that this process has written an entry, which took so long. */
    void won(long nanos) {
        put = (3 * put + nanos) / 4;
        own = ++places;
        losses = 0;
        racing = false;
        notBefore = System.nanoTime() + pause();
    }

    private long pause() {
        long now = System.nanoTime();
        others.values().removeIf(seen -> now - seen.at() > AT_WORK_NANOS);
        long before =
                others.values().stream().filter(seen -> seen.place() < own).count();
        // Not the time that entries really take from one to the next: it includes these pauses, and would grow by
        // itself.
        long entries = Math.max(0, before - losses / LOSSES_EACH);
        return Math.min(LONGEST_PAUSE, entries * put);
    }

    /** Waits until it is this process's turn. */
    void await() {
        if (racing) {
            // Only now are the entries known that were written meanwhile.
            racing = false;
            notBefore = System.nanoTime() + pause();
        }
        for (long left = notBefore - System.nanoTime(); left > 0; left = notBefore - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
