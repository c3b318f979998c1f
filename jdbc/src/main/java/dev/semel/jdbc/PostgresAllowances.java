package dev.semel.jdbc;

import dev.semel.jdbc.PostgresTurns.Candidate;
import dev.semel.store.ClaimRequest;
import dev.semel.store.QueueSettings;
import dev.semel.task.RateLimit;
import dev.semel.task.TaskId;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What pauses, limits and mutexes leave to one claim. Queues without any of these cost nothing here. Claims from a queue
 * with a limit come one after the other: each locks the queue's mark.
 */
final class PostgresAllowances {

    private static final String LOCK_MARKS = """
            SELECT k.queue, k.mark FROM unnest(?) AS m (queue)
            CROSS JOIN LATERAL (SELECT x.queue, x.mark FROM semel.mark x WHERE x.queue = m.queue LIMIT 1 FOR UPDATE) k
            """;

    private static final String SAVE_MARK = "UPDATE semel.mark SET mark = ? WHERE queue = ?";

    // Lane by lane, and not by time: the sum keeps the server from the index of the ends of all leases.
    private static final String RUNNING = """
            SELECT coalesce(sum(r.open), 0), min(r.until) FROM semel.lane l CROSS JOIN LATERAL (
              SELECT 1 AS open, order_at + priority * 60000::bigint AS until FROM semel.running WHERE lane = l.id
              UNION ALL
              SELECT open, until + 0 AS until FROM semel.lease WHERE lane = l.id
            ) r
            WHERE l.queue = ? AND r.until > ?
            """;

    private static final String HOLDERS = "SELECT mutex, task FROM semel.running WHERE mutex = ANY (?)";

    private static final String BLOCK = """
            WITH blocked AS (
              DELETE FROM semel.ready WHERE ctid = ANY (?)
              RETURNING task, seq, order_at, lane, attempt, failures, vanished, priority, mutex
            )
            INSERT INTO semel.waiting (task, seq, order_at, lane, attempt, failures, vanished, priority, after, mutex)
            SELECT task, seq, order_at, lane, attempt, failures, vanished, priority, NULL, mutex FROM blocked
            """;

    /** One queue with limits. */
    private static final class Allowance {

        private final @Nullable RateLimit rate;
        private long mark;
        private final long allowed;
        private final long places;
        private final long placeFree;
        private int taken;

        Allowance(@Nullable RateLimit rate, long mark, long allowed, long places, long placeFree) {
            this.rate = rate;
            this.mark = mark;
            this.allowed = allowed;
            this.places = places;
            this.placeFree = placeFree;
        }

        boolean isUsedUp() {
            return taken >= Math.min(allowed, places);
        }
    }

    private final PostgresTransaction tx;
    private final PostgresQueues queues;
    private final int mostLimited;
    private final Duration lease;
    private final Map<String, Allowance> limited = new HashMap<>();
    private final Set<String> begun = new HashSet<>();
    private final Set<String> locked = new HashSet<>();
    private int takenLimited;

    PostgresAllowances(PostgresTransaction tx, ClaimRequest request) throws SQLException {
        this.tx = tx;
        this.queues = tx.queues();
        this.mostLimited = request.limited();
        this.lease = request.lease();
        if (queues.isEmpty()) {
            return;
        }
        Set<String> names = new TreeSet<>();
        for (String queue : request.queues()) {
            QueueSettings settings = queues.of(queue);
            if (settings.isLimited() && !settings.isPaused()) {
                names.add(queue);
            }
        }
        if (!names.isEmpty()) {
            Map<String, Long> marks = new HashMap<>();
            tx.sql(LOCK_MARKS).texts(names).list(row -> marks.put(row.getString(1), row.getLong(2)));
            // Whoever held the marks before had a later time than this transaction began with.
            tx.renewNow();
            for (String queue : names) {
                limited.put(queue, allowance(queue, queues.of(queue), marks.getOrDefault(queue, 0L)));
            }
        }
    }

    private Allowance allowance(String queue, QueueSettings settings, long mark) throws SQLException {
        RateLimit rate = settings.startLimit();
        long allowed = rate == null ? Long.MAX_VALUE : rate.allowed(mark, nanos());
        if (settings.mostRunning() == Integer.MAX_VALUE) {
            return new Allowance(rate, mark, allowed, Long.MAX_VALUE, 0);
        }
        Allowance allowance = tx.sql(RUNNING).withText(queue).with(tx.now()).first(row -> {
            long places = Math.max(0, settings.mostRunning() - row.getLong(1));
            return new Allowance(rate, mark, allowed, places, row.getLong(2));
        });
        if (allowance == null) {
            throw new IllegalStateException("A count gave no row");
        }
        return allowance;
    }

    /** Whether no queue has limits, and {@link #settle} nothing to write down. */
    boolean areUnlimited() {
        return limited.isEmpty();
    }

    /** Whether a queue gives anything more. */
    boolean isOpen(String queue) {
        if (queues.isEmpty()) {
            return true;
        }
        Allowance allowance = limited.get(queue);
        return allowance == null ? !queues.of(queue).isPaused() : !allowance.isUsedUp() && takenLimited < mostLimited;
    }

    /** How many more a queue gives at the most. */
    long left(String queue) {
        Allowance allowance = limited.get(queue);
        return allowance == null ? Long.MAX_VALUE : Math.min(allowance.allowed, allowance.places) - allowance.taken;
    }

    /** Counts a task that the claim takes. */
    void take(String queue) {
        count(queue, 1);
    }

    private void count(String queue, int number) {
        Allowance allowance = limited.isEmpty() ? null : limited.get(queue);
        if (allowance != null) {
            allowance.taken += number;
            takenLimited += number;
        }
    }

    /**
     * Takes as many as may be taken, in order. Leaves out those whose mutex is held, by a task that runs or by one before
     * it: they wait from now on. Those whose mutex somebody else decides about at this moment are left as they are.
     */
    List<Candidate> unblocked(List<Candidate> chosen, ClaimRoom room) throws SQLException {
        Map<String, TaskId> holders = holders(chosen);
        List<Candidate> free = new ArrayList<>();
        List<Candidate> blocked = new ArrayList<>();
        for (Candidate candidate : chosen) {
            String mutex = candidate.mutex();
            if (room.isFull() || (mutex != null && !locked.contains(mutex))) {
                count(candidate.lane().queue(), -1);
                continue;
            }
            TaskId holder = mutex == null ? null : holders.get(mutex);
            boolean waits =
                    mutex != null && (begun.contains(mutex) || (holder != null && !holder.equals(candidate.task())));
            if (waits) {
                blocked.add(candidate);
            } else if (room.takes(candidate.bytes())) {
                free.add(candidate);
                if (mutex != null) {
                    begun.add(mutex);
                }
            } else {
                count(candidate.lane().queue(), -1);
            }
        }
        if (!blocked.isEmpty()) {
            int rows = tx.sql(BLOCK)
                    .places(blocked.stream().map(Candidate::place).toList())
                    .update();
            if (rows != blocked.size()) {
                throw new IllegalStateException(
                        "Expected to let " + blocked.size() + " tasks wait for a mutex, but it were " + rows);
            }
            blocked.forEach(candidate -> count(candidate.lane().queue(), -1));
        }
        return free;
    }

    /** Who holds the mutexes of these tasks, once this transaction is the only one that decides about them. */
    private Map<String, TaskId> holders(List<Candidate> chosen) throws SQLException {
        Set<String> mutexes = new TreeSet<>();
        for (Candidate candidate : chosen) {
            if (candidate.mutex() != null) {
                mutexes.add(candidate.mutex());
            }
        }
        Map<String, TaskId> holders = new HashMap<>();
        if (!mutexes.isEmpty()) {
            Set<String> unknown = new TreeSet<>(mutexes);
            unknown.removeAll(locked);
            locked.addAll(PostgresEnds.tryLockMutexes(tx, unknown));
            tx.sql(HOLDERS).texts(mutexes).list(row -> holders.put(row.getString(1), PostgresStatement.id(row, 2)));
        }
        return holders;
    }

    /** Writes down what was used up. */
    void settle() throws SQLException {
        for (Map.Entry<String, Allowance> entry : limited.entrySet()) {
            Allowance allowance = entry.getValue();
            RateLimit rate = allowance.rate;
            if (rate != null && (allowance.taken > 0 || rate.isTooFarAhead(allowance.mark, nanos()))) {
                allowance.mark = rate.markAfter(allowance.mark, nanos(), allowance.taken);
                save(tx, entry.getKey(), allowance.mark);
            }
        }
    }

    private static void save(PostgresTransaction tx, String queue, long mark) throws SQLException {
        tx.sql(SAVE_MARK).with(mark).withText(queue).updateOne();
    }

    /** Sets back a mark that a slower limit has put further ahead than the present one ever does. */
    static void setBackMark(PostgresTransaction tx, String queue) throws SQLException {
        RateLimit rate = tx.queues().of(queue).startLimit();
        if (rate == null) {
            return;
        }
        Long mark = tx.sql(LOCK_MARKS).texts(List.of(queue)).first(row -> row.getLong(2));
        if (mark != null && rate.isTooFarAhead(mark, nanos(tx))) {
            save(tx, queue, rate.markAfter(mark, nanos(tx), 0));
        }
    }

    /** Whether the due time of its tasks alone does not say when a queue gives the next one. */
    boolean holdsBack(String queue) {
        Allowance allowance = limited.get(queue);
        return allowance == null ? !isOpen(queue) : allowance.isUsedUp();
    }

    /** From when on a queue that holds back gives the next task, if that is due at a time; null if it gives none. */
    @Nullable
    Long next(String queue, long dueAt) {
        Allowance allowance = limited.get(queue);
        if (allowance == null) {
            return null;
        }
        long next = dueAt;
        long leaseEnd = tx.after(lease);
        if (allowance.taken >= allowance.places) {
            // The first lease that ends, those of tasks just taken included.
            long free = allowance.placeFree == 0 ? leaseEnd : allowance.placeFree;
            next = Math.max(next, allowance.taken > 0 ? Math.min(free, leaseEnd) : free);
        }
        if (allowance.rate != null && allowance.taken >= allowance.allowed) {
            long wait = allowance.rate.waitAfter(allowance.mark, nanos()).toMillis();
            // A wait of less than a millisecond is one all the same: zero would mean that something was left out.
            next = Math.max(next, tx.now() + Math.max(1, wait));
        }
        return next;
    }

    private long nanos() {
        return nanos(tx);
    }

    private static long nanos(PostgresTransaction tx) {
        return tx.now() * 1_000_000;
    }
}
