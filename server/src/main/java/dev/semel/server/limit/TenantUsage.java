package dev.semel.server.limit;

import dev.semel.server.http.Problem;
import dev.semel.store.Page;
import dev.semel.store.QueueDepth;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.RateLimit;
import dev.semel.task.SemelException;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What one tenant uses, as far as this server knows. */
final class TenantUsage {

    private static final Logger LOG = LoggerFactory.getLogger(TenantUsage.class);

    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final int PAGE = 500;

    private final TaskStore store;
    private final String tenant;
    private final LongSupplier nanoTime;
    private final Sampled open;
    private final Sampled stored;

    // When all submissions so far would be used up if they were spread evenly.
    private long mark;

    TenantUsage(TaskStore store, String tenant, LongSupplier nanoTime) {
        this.store = store;
        this.tenant = tenant;
        this.nanoTime = nanoTime;
        this.open = new Sampled(nanoTime, SECOND);
        this.stored = new Sampled(nanoTime, 30 * SECOND);
        this.mark = nanoTime.getAsLong();
    }

    /** Which limit has no room. */
    enum Full {
        SUBMISSIONS("too-many-submissions"),
        OPEN_TASKS("too-many-open-tasks"),
        STORED_BYTES("too-much-stored");

        private final String slug;

        Full(String slug) {
            this.slug = slug;
        }

        String slug() {
            return slug;
        }

        Problem problem(String detail, String member, String most, long retryAfter) {
            return new Problem(429, slug, detail)
                    .withRaw(member, most)
                    .header("Retry-After", Long.toString(retryAfter));
        }
    }

    /** A submission without room. */
    record Rejected(Full limit, Problem problem) {}

    /** Admits a submission, or returns why there is no room for it. */
    synchronized @Nullable Rejected admit(TenantLimits limits, int tasks, long bytes) {
        Long mostOpen = limits.openTasks();
        if (mostOpen != null && openTasks() + tasks > mostOpen) {
            return new Rejected(
                    Full.OPEN_TASKS,
                    Full.OPEN_TASKS.problem(
                            "This tenant may have " + mostOpen + " open tasks, and there is no room for " + tasks
                                    + " more. Send the same request again after the time in Retry-After.",
                            "max_open_tasks",
                            mostOpen.toString(),
                            open.secondsToNext()));
        }
        Long mostStored = limits.storedBytes();
        if (mostStored != null && storedBytes() + bytes > mostStored) {
            return new Rejected(
                    Full.STORED_BYTES,
                    Full.STORED_BYTES.problem(
                            "This tenant may have " + mostStored + " bytes stored, and there is no room for " + bytes
                                    + " more. Room comes back when finished tasks are cleaned or erased.",
                            "max_stored_bytes",
                            mostStored.toString(),
                            stored.secondsToNext()));
        }
        RateLimit rate = limits.submissions();
        if (rate != null) {
            long now = nanoTime.getAsLong();
            long ahead = Math.max(0, mark - now);
            // A batch larger than the limit is admitted as a whole and paid for afterwards: split, it would cost more.
            if (ahead >= SECOND) {
                return new Rejected(
                        Full.SUBMISSIONS,
                        Full.SUBMISSIONS.problem(
                                "This tenant may submit " + rate.text()
                                        + ", and that is used up. Send the same request again after the time in"
                                        + " Retry-After.",
                                "max_submissions",
                                "\"" + rate.text() + "\"",
                                Math.max(1, Math.ceilDiv(ahead - SECOND, SECOND))));
            }
            mark = now + ahead + tasks * rate.interval().toNanos();
        }
        open.add(tasks);
        stored.add(bytes);
        return null;
    }

    void answered(int tasks, long bytes) {
        open.answered(tasks);
        stored.answered(bytes);
    }

    /** Returns how many tasks are open: as the store said within a second, and what was admitted since. */
    synchronized long openTasks() {
        if (open.isDue()) {
            Sampled.Reading reading = open.begin();
            try {
                open.end(
                        reading,
                        store.depths(tenant).values().stream()
                                .mapToLong(TenantUsage::openOf)
                                .sum());
            } catch (RuntimeException e) {
                open.fail();
                throw e;
            }
        }
        return open.value();
    }

    private static long openOf(QueueDepth depth) {
        return depth.due() + depth.delayed() + depth.running() + depth.waiting();
    }

    /** Returns how many bytes are stored: as they were measured last, and what was admitted since. */
    long storedBytes() {
        if (stored.isDue()) {
            Sampled.Reading reading = stored.begin();
            // In the background, because it reads everything that the tenant has.
            Thread.ofVirtual().name("semel-measure-" + tenant).start(() -> measure(reading));
        }
        return stored.value();
    }

    boolean isMeasured() {
        return stored.isKnown();
    }

    private void measure(Sampled.Reading reading) {
        try {
            long bytes = 0;
            TaskQuery query = TaskQuery.builder().tenant(tenant).pageSize(PAGE).build();
            for (TaskQuery next = query; next != null; ) {
                Page page = store.list(next);
                for (Task task : page.tasks()) {
                    bytes += size(task.input())
                            + size(task.progress().result())
                            + size(task.progress().lastError());
                }
                TaskId last = page.next();
                next = last == null ? null : query.after(last);
            }
            stored.end(reading, bytes);
        } catch (SemelException e) {
            stored.fail();
            LOG.warn("Stored bytes could not be measured: tenant={} error={}", tenant, e.getMessage());
        }
    }

    /** Returns the number of bytes of a text in UTF-8, without encoding it. */
    static long size(@Nullable String text) {
        long bytes = 0;
        for (int i = 0; text != null && i < text.length(); i++) {
            char c = text.charAt(i);
            // Two surrogates are one character of four bytes.
            bytes += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
        }
        return bytes;
    }
}
