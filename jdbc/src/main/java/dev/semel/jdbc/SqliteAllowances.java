package dev.semel.jdbc;

import dev.semel.jdbc.SqliteTurn.Candidate;
import dev.semel.store.ClaimRequest;
import dev.semel.store.QueueSettings;
import dev.semel.task.RateLimit;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What pauses, limits and mutexes leave to one claim. Queues without any of these cost nothing here. */
final class SqliteAllowances {

    private static final String MARK = "SELECT mark FROM semel_mark WHERE queue = ?";

    private static final String SAVE_MARK =
            "INSERT INTO semel_mark (queue, mark) VALUES (?, ?) ON CONFLICT (queue) DO UPDATE SET mark = excluded.mark";

    // The suspect index holds all running tasks, and few others.
    private static final String RUNNING = """
            SELECT count(*), total(t.due_at <= ?2), min(iif(t.due_at > ?2, t.due_at, NULL))
            FROM semel_lane l JOIN semel_task t INDEXED BY semel_task_suspect ON t.lane = l.id
            WHERE l.queue = ?1 AND (t.state = 'running' OR (t.state = 'pending' AND t.vanished > 0))
              AND t.state = 'running'
            """;

    private static final String MUTEXES = """
            SELECT seq, mutex, EXISTS (
                SELECT 1 FROM semel_task h INDEXED BY semel_task_mutex
                WHERE h.mutex = t.mutex AND h.state IN ('running', 'waiting') AND h.state = 'running' AND h.seq <> t.seq)
            FROM semel_task t WHERE seq IN (SELECT value FROM json_each(?)) AND mutex IS NOT NULL
            """;

    private static final String BLOCK = """
            UPDATE semel_task SET state = 'waiting', order_at = NULL
            WHERE seq IN (SELECT value FROM json_each(?)) AND state = 'pending'
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

    private final SqliteTransaction tx;
    private final SqliteQueues queues;
    private final int mostLimited;
    private final long leaseEnd;
    private final Map<String, Allowance> limited = new HashMap<>();
    private final Set<Integer> lanesWithMutexes = new HashSet<>();
    private final Set<String> begun = new HashSet<>();
    private int takenLimited;

    SqliteAllowances(SqliteTransaction tx, ClaimRequest request) throws SQLException {
        this.tx = tx;
        this.queues = tx.queues();
        this.mostLimited = request.limited();
        this.leaseEnd = SqliteValues.after(tx.now(), request.lease());
        if (!queues.isEmpty()) {
            for (String queue : request.queues()) {
                QueueSettings settings = queues.of(queue);
                if (settings.isLimited() && !settings.isPaused()) {
                    limited.put(queue, allowance(queue, settings));
                }
            }
        }
    }

    private Allowance allowance(String queue, QueueSettings settings) throws SQLException {
        RateLimit rate = settings.startLimit();
        long mark = rate == null ? 0 : mark(tx, queue);
        long allowed = rate == null ? Long.MAX_VALUE : rate.allowed(mark, nanos());
        if (settings.mostRunning() == Integer.MAX_VALUE) {
            return new Allowance(rate, mark, allowed, Long.MAX_VALUE, 0);
        }
        try (ResultSet row = tx.sql(RUNNING).with(queue).with(tx.now()).query()) {
            row.next();
            long runOut = row.getLong(2);
            long placeFree = row.getLong(3);
            long running = row.getLong(1) - (runOut > 0 && !tx.leasesHeld() ? runOut : 0);
            return new Allowance(rate, mark, allowed, Math.max(0, settings.mostRunning() - running), placeFree);
        }
    }

    private static long mark(SqliteTransaction tx, String queue) throws SQLException {
        try (ResultSet row = tx.sql(MARK).with(queue).query()) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    /** Whether a queue gives anything more. */
    boolean isOpen(String queue) {
        if (queues.isEmpty()) {
            return true;
        }
        Allowance allowance = limited.get(queue);
        return allowance == null ? !queues.of(queue).isPaused() : !allowance.isUsedUp() && takenLimited < mostLimited;
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

    /** A lane that has tasks with a mutex. */
    void hasMutexes(int lane) {
        lanesWithMutexes.add(lane);
    }

    /**
     * Takes as many as there is room for, in order. Leaves out those whose mutex is held, by a task that runs or by one
     * before it: they wait from now on.
     */
    List<Candidate> unblocked(List<Candidate> chosen, ClaimRoom room) throws SQLException {
        List<Candidate> bound = lanesWithMutexes.isEmpty()
                ? List.of()
                : chosen.stream()
                        .filter(candidate ->
                                lanesWithMutexes.contains(candidate.lane().id()))
                        .toList();
        record Mutex(String name, boolean held) {}
        Map<Long, Mutex> mutexes = new HashMap<>();
        if (!bound.isEmpty()) {
            try (ResultSet row = tx.sql(MUTEXES).with(Candidate.json(bound)).query()) {
                while (row.next()) {
                    mutexes.put(row.getLong(1), new Mutex(row.getString(2), row.getBoolean(3)));
                }
            }
        }
        List<Candidate> free = new ArrayList<>();
        List<Candidate> blocked = new ArrayList<>();
        for (Candidate candidate : chosen) {
            Mutex mutex = mutexes.get(candidate.seq());
            if (mutex != null && (mutex.held() || begun.contains(mutex.name()))) {
                blocked.add(candidate);
            } else if (room.takes(candidate.bytes())) {
                free.add(candidate);
                if (mutex != null) {
                    begun.add(mutex.name());
                }
            } else {
                count(candidate.lane().queue(), -1); // it stays due
            }
        }
        if (!blocked.isEmpty()) {
            int rows = tx.sql(BLOCK).with(Candidate.json(blocked)).update();
            if (rows != blocked.size()) {
                throw new IllegalStateException(
                        "Expected to let " + blocked.size() + " tasks wait for a mutex, but it were " + rows);
            }
            blocked.forEach(candidate -> count(candidate.lane().queue(), -1));
        }
        return free;
    }

    /** Writes down what was used up. */
    void settle() throws SQLException {
        for (Map.Entry<String, Allowance> entry : limited.entrySet()) {
            Allowance allowance = entry.getValue();
            RateLimit rate = allowance.rate;
            if (rate != null && (allowance.taken > 0 || rate.isTooFarAhead(allowance.mark, nanos()))) {
                allowance.mark = rate.markAfter(allowance.mark, nanos(), allowance.taken);
                tx.sql(SAVE_MARK).with(entry.getKey()).with(allowance.mark).updateOne();
                SqliteClock.raise(tx);
            }
        }
    }

    /** Sets back a mark that a slower limit has put further ahead than the present one ever does. */
    static void setBackMark(SqliteTransaction tx, String queue) throws SQLException {
        RateLimit rate = tx.queues().of(queue).startLimit();
        long mark = rate == null ? 0 : mark(tx, queue);
        if (rate != null && rate.isTooFarAhead(mark, nanos(tx))) {
            tx.sql(SAVE_MARK)
                    .with(queue)
                    .with(rate.markAfter(mark, nanos(tx), 0))
                    .updateOne();
        }
    }

    /** Whether the due time of its tasks alone does not say when a queue gives the next one. */
    boolean holdsBack(String queue) {
        Allowance allowance = limited.get(queue);
        return allowance == null ? !isOpen(queue) : allowance.isUsedUp();
    }

    /** Whether a queue has a limit and is not paused, so that it gives more in time. */
    boolean isLimited(String queue) {
        return limited.containsKey(queue);
    }

    /** From when on a queue that holds back gives the next task, if that is due at a time; null if it gives none. */
    @Nullable
    Long next(String queue, long dueAt) {
        Allowance allowance = limited.get(queue);
        if (allowance == null) {
            return null;
        }
        long next = dueAt;
        if (allowance.taken >= allowance.places) {
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

    private static long nanos(SqliteTransaction tx) {
        return tx.now() * 1_000_000;
    }
}
