package dev.semel.store;

import dev.semel.task.Identity;
import dev.semel.task.SafeLogger;
import dev.semel.task.SemelException;
import dev.semel.task.TaskId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Counts of submissions that were answered with an existing task. A store whose duplicates must stay as cheap as a read keeps
 * them here and writes them together, at most once a second, and before it reads a record. A crash loses what was not written;
 * the counts are for people only.
 */
public final class DuplicateCounts {

    private static final SafeLogger LOG = SafeLogger.of(DuplicateCounts.class);
    private static final long WRITE_EVERY_NANOS = 1_000_000_000;

    // Further keys are not counted until the next write.
    private static final int MAX_KEYS = 50_000;

    /** The most counts of one write. */
    private static final int MAX_BATCH = 500;

    /**
     * A count to be added to a record.
     *
     * @param identity the identity of the record
     * @param taskId the task that the submissions were answered with; counted only while it holds the key
     * @param count the number of submissions
     */
    public record Count(Identity identity, TaskId taskId, int count) {}

    private record Duplicate(Identity identity, TaskId taskId) {}

    private final Map<Duplicate, Integer> counts = new ConcurrentHashMap<>();
    private final AtomicLong writtenAt;
    private final LongSupplier nanoTime;
    private final Consumer<List<Count>> writer;

    /**
     * Creates empty counts.
     *
     * @param nanoTime the monotonic clock
     * @param writer adds counts to the records; its {@link SemelException}s are logged
     */
    public DuplicateCounts(LongSupplier nanoTime, Consumer<List<Count>> writer) {
        this.nanoTime = nanoTime;
        this.writer = writer;
        this.writtenAt = new AtomicLong(nanoTime.getAsLong() - WRITE_EVERY_NANOS);
    }

    /**
     * Counts the duplicates of a batch. Writes nothing: the caller may hold a lock that the write needs.
     *
     * @param batch the submissions
     * @param answers their answers
     */
    public void count(List<NewTask> batch, List<Submitted> answers) {
        for (int i = 0; i < answers.size(); i++) {
            NewTask.KeyRequest key = batch.get(i).key();
            if (key != null && answers.get(i) instanceof Submitted.Returned returned) {
                Duplicate duplicate =
                        new Duplicate(key.identity(), returned.existing().taskId());
                if (counts.size() < MAX_KEYS || counts.containsKey(duplicate)) {
                    counts.merge(duplicate, 1, (a, b) -> a == Integer.MAX_VALUE ? a : a + b);
                }
            }
        }
    }

    /** Writes if there is anything to write and the last write is a second ago. */
    public void writeIfDue() {
        if (counts.isEmpty()) {
            return;
        }
        long now = nanoTime.getAsLong();
        long last = writtenAt.get();
        if (now - last >= WRITE_EVERY_NANOS && writtenAt.compareAndSet(last, now)) {
            write();
        }
    }

    /** Writes all that was counted. */
    public void write() {
        List<Count> all = new ArrayList<>();
        for (Duplicate duplicate : List.copyOf(counts.keySet())) {
            Integer count = counts.remove(duplicate);
            if (count != null) {
                all.add(new Count(duplicate.identity, duplicate.taskId, count));
            }
        }
        for (int from = 0; from < all.size(); from += MAX_BATCH) {
            List<Count> part = all.subList(from, Math.min(all.size(), from + MAX_BATCH));
            try {
                writer.accept(part);
            } catch (SemelException e) {
                LOG.warn("Duplicate counts lost: keys={} error={}", part.size(), e.getMessage());
            }
        }
    }
}
