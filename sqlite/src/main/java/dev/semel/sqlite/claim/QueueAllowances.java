package dev.semel.sqlite.claim;

import dev.semel.sqlite.sql.ColumnValues;
import dev.semel.sqlite.time.FileClock;
import dev.semel.sqlite.transaction.Transaction;
import dev.semel.store.ClaimAllowances;
import dev.semel.store.ClaimAllowances.Running;
import dev.semel.store.ClaimRequest;
import dev.semel.store.ClaimRoom;
import dev.semel.store.QueueSettings;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The tasks that pauses, limits and mutexes allow one claim to take. Queues without any of these cost nothing here. */
public final class QueueAllowances {

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
            UPDATE semel_task SET state = 'waiting', order_at = NULL, after_id = NULL
            WHERE seq IN (SELECT value FROM json_each(?)) AND state = 'pending'
            """;

    private final Transaction tx;
    private final ClaimAllowances left;
    private boolean limitsStarts;
    private final Set<Integer> lanesWithMutexes = new HashSet<>();

    QueueAllowances(Transaction tx, ClaimRequest request) throws SQLException {
        this.tx = tx;
        this.left = new ClaimAllowances(request, tx.nowInstant());
        if (!tx.queues().isEmpty()) {
            for (String queue : request.queues()) {
                QueueSettings settings = tx.queues().of(queue);
                if (settings.isPaused()) {
                    left.pause(queue);
                } else if (settings.isLimited()) {
                    long mark = settings.startLimit() == null ? 0 : mark(tx, queue);
                    left.limit(queue, settings, mark, running(queue, settings));
                    limitsStarts |= settings.startLimit() != null;
                }
            }
        }
    }

    private Running running(String queue, QueueSettings settings) throws SQLException {
        if (settings.mostRunning() == Integer.MAX_VALUE) {
            return Running.NONE;
        }
        try (ResultSet row = tx.sql(RUNNING).with(queue).with(tx.now()).query()) {
            row.next();
            long running = row.getLong(1);
            long runOut = row.getLong(2);
            Instant firstEnd = ColumnValues.instantOrNull(row, 3);
            return new Running(runOut > 0 && !tx.leasesHeld() ? running - runOut : running, firstEnd);
        }
    }

    private static long mark(Transaction tx, String queue) throws SQLException {
        try (ResultSet row = tx.sql(MARK).with(queue).query()) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    /** Returns whether a queue of the claim has a rate limit. */
    boolean limitsStarts() {
        return limitsStarts;
    }

    /** What is left to the claim. */
    ClaimAllowances left() {
        return left;
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
            String name = mutex == null ? null : mutex.name();
            if (left.isBlocked(name, mutex != null && mutex.held())) {
                blocked.add(candidate);
            } else if (room.takes(candidate.bytes())) {
                free.add(candidate);
                left.begin(name);
            } else {
                leave(candidate); // it stays due
            }
        }
        if (!blocked.isEmpty()) {
            int rows = tx.sql(BLOCK).with(Candidate.json(blocked)).update();
            if (rows != blocked.size()) {
                throw new IllegalStateException(
                        "Expected " + blocked.size() + " tasks to wait for a mutex, but " + rows + " do");
            }
            blocked.forEach(this::leave);
        }
        return free;
    }

    private void leave(Candidate candidate) {
        String queue = candidate.lane().queue();
        if (candidate.woken()) {
            left.leaveWoken(queue);
        } else {
            left.leave(queue);
        }
    }

    /** Saves what the claim has used up. */
    public void settle() throws SQLException {
        for (Map.Entry<String, Long> mark : left.marks().entrySet()) {
            tx.sql(SAVE_MARK).with(mark.getKey()).with(mark.getValue()).updateOne();
            FileClock.raise(tx.session(), tx.now());
        }
    }

    /** Sets back a mark that a slower limit has put further ahead than the present one ever does. */
    public static void setBackMark(Transaction tx, String queue) throws SQLException {
        QueueSettings settings = tx.queues().of(queue);
        long mark = settings.startLimit() == null ? 0 : mark(tx, queue);
        long next = ClaimAllowances.markUnder(settings, mark, tx.nowInstant());
        if (next != mark) {
            tx.sql(SAVE_MARK).with(queue).with(next).updateOne();
        }
    }
}
