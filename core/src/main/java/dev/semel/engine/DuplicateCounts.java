package dev.semel.engine;

import dev.semel.store.TaskStore;
import dev.semel.store.Transition;
import dev.semel.task.Identity;
import dev.semel.task.SafeLogger;
import dev.semel.task.SemelException;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Counts the submissions that were answered with an existing task, and writes the counts to the records every few seconds:
 * a duplicate must stay as cheap as a read. What a crash loses is only for people to look at.
 */
public final class DuplicateCounts implements AutoCloseable {

    private static final SafeLogger LOG = SafeLogger.of(DuplicateCounts.class);
    private static final Duration WRITE_EVERY = Duration.ofSeconds(3);
    private static final int AT_ONCE = 500;

    // Keys that are counted between two writes; the duplicates of further ones are not.
    private static final int MOST = 50_000;

    private record Returned(Identity identity, TaskId taskId) {}

    private final TaskStore store;
    private final Map<Returned, Integer> counts = new ConcurrentHashMap<>();
    private final ScheduledFuture<?> writes;

    /**
     * Begins to count.
     *
     * @param store where the records are
     * @param timers says when to write
     */
    public DuplicateCounts(TaskStore store, ScheduledExecutorService timers) {
        this.store = store;
        this.writes = timers.scheduleWithFixedDelay(
                OwnThreads.tick("counting duplicates", () -> {
                    if (!counts.isEmpty()) {
                        OwnThreads.run("counting duplicates", this::write);
                    }
                }),
                WRITE_EVERY.toMillis(),
                WRITE_EVERY.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    /**
     * Counts one.
     *
     * @param identity its identity
     * @param taskId the task that it was answered with
     */
    public void count(Identity identity, TaskId taskId) {
        Returned returned = new Returned(identity, taskId);
        if (counts.size() < MOST || counts.containsKey(returned)) {
            counts.merge(returned, 1, (a, b) -> a == Integer.MAX_VALUE ? a : a + b);
        }
    }

    /** Writes what was counted since the last time. */
    public void write() {
        List<Transition> moves = new ArrayList<>();
        for (Returned returned : List.copyOf(counts.keySet())) {
            Integer count = counts.remove(returned);
            if (count != null) {
                moves.add(new Transition.CountDuplicates(returned.identity, returned.taskId, count));
            }
        }
        try {
            for (int from = 0; from < moves.size(); from += AT_ONCE) {
                store.apply(moves.subList(from, Math.min(moves.size(), from + AT_ONCE)));
            }
        } catch (SemelException e) {
            LOG.warn("The counts of {} keys' duplicates were not written: {}", moves.size(), e.getMessage());
        }
    }

    /** Writes for the last time. */
    @Override
    public void close() {
        writes.cancel(false);
        write();
    }
}
