package dev.semel.postgresql.claim;

import dev.semel.postgresql.claim.DueTasks.Candidate;
import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.postgresql.table.TaskEnds;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.ClaimAllowances;
import dev.semel.store.ClaimAllowances.Running;
import dev.semel.store.ClaimRequest;
import dev.semel.store.ClaimRoom;
import dev.semel.store.QueueSettings;
import dev.semel.task.TaskId;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The allowances of one claim: what pauses, limits and mutexes let it take. Queues without any of these cost nothing here.
 * Claims from a queue with a limit run one after the other, because each locks the queue's mark.
 */
public final class QueueAllowances implements FairPicker.Allowance {

    private static final String LOCK_MARKS = """
            SELECT k.queue, k.mark FROM unnest(?) AS m (queue)
            CROSS JOIN LATERAL (SELECT x.queue, x.mark FROM semel.mark x WHERE x.queue = m.queue LIMIT 1 FOR UPDATE) k
            """;

    private static final String SAVE_MARK = "UPDATE semel.mark SET mark = ? WHERE queue = ?";

    // Lane by lane, and not by time: "until + 0" keeps the server from using the index of the ends of all leases.
    private static final String RUNNING = """
            SELECT coalesce(sum(r.open), 0) AS tasks, min(r.until) AS first_end FROM semel.lane l CROSS JOIN LATERAL (
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
              RETURNING task, seq, order_at, lane, attempt, failures, vanished, priority, mutex, watched
            )
            INSERT INTO semel.waiting (task, seq, order_at, lane, attempt, failures, vanished, priority, after, mutex, watched)
            SELECT task, seq, order_at, lane, attempt, failures, vanished, priority, NULL, mutex, watched FROM blocked
            """;

    private final Transaction tx;
    private final ClaimAllowances left;
    private final Set<String> locked = new HashSet<>();

    QueueAllowances(Transaction tx, ClaimRequest request) throws SQLException {
        this.tx = tx;
        Set<String> paused = new TreeSet<>();
        Set<String> limited = new TreeSet<>();
        if (!tx.queues().isEmpty()) {
            for (String queue : request.queues()) {
                QueueSettings settings = tx.queues().of(queue);
                if (settings.isPaused()) {
                    paused.add(queue);
                } else if (settings.isLimited()) {
                    limited.add(queue);
                }
            }
        }
        Map<String, Long> marks = new HashMap<>();
        if (!limited.isEmpty()) {
            tx.sql(LOCK_MARKS).texts(limited).list(row -> marks.put(row.getString("queue"), row.getLong("mark")));
            // The last holder of the marks may have had a later time than the one this transaction began with.
            tx.renewNow();
        }
        this.left = new ClaimAllowances(request, tx.nowInstant());
        paused.forEach(left::pause);
        for (String queue : limited) {
            QueueSettings settings = tx.queues().of(queue);
            left.limit(queue, settings, marks.getOrDefault(queue, 0L), running(queue, settings));
        }
    }

    private Running running(String queue, QueueSettings settings) throws SQLException {
        if (settings.mostRunning() == Integer.MAX_VALUE) {
            return Running.NONE;
        }
        Running running = tx.sql(RUNNING).withText(queue).with(tx.now()).first(row -> {
            Long firstEnd = SqlStatement.longOrNull(row, "first_end");
            return new Running(row.getLong("tasks"), firstEnd == null ? null : Instant.ofEpochMilli(firstEnd));
        });
        if (running == null) {
            throw new IllegalStateException("Expected one row with the number of running tasks, but got none");
        }
        return running;
    }

    /** Returns whether no queue has limits, so that {@link #save} has nothing to write. */
    boolean areUnlimited() {
        return left.areUnlimited();
    }

    /** Returns whether more may be taken from a queue. */
    @Override
    public boolean isOpen(String queue) {
        return left.isOpen(queue);
    }

    /** Returns how many more tasks may be taken from a queue. */
    long left(String queue) {
        return left.left(queue);
    }

    /** Counts a task that the claim takes. */
    @Override
    public void take(String queue) {
        left.take(queue);
    }

    /** Returns what limits the woken workflows of queues with a rate limit, which use nothing of it. */
    FairPicker.Allowance ofWoken() {
        return new FairPicker.Allowance() {
            @Override
            public boolean isOpen(String queue) {
                return left.isOpenToWoken(queue);
            }

            @Override
            public void take(String queue) {
                left.takeWoken(queue);
            }
        };
    }

    private void leave(Candidate candidate) {
        String queue = candidate.lane().queue();
        if (candidate.woken()) {
            left.leaveWoken(queue);
        } else {
            left.leave(queue);
        }
    }

    /**
     * Returns the tasks that may be taken, in order, as many as there is room for. A task whose mutex is held, by a running task
     * or by one before it, waits from now on. A task whose mutex another transaction has locked stays where it is.
     */
    List<Candidate> unblocked(List<Candidate> picked, ClaimRoom room) throws SQLException {
        Map<String, TaskId> holders = holders(picked);
        List<Candidate> free = new ArrayList<>();
        List<Candidate> blocked = new ArrayList<>();
        for (Candidate candidate : picked) {
            String mutex = candidate.mutex();
            if (room.isFull() || (mutex != null && !locked.contains(mutex))) {
                leave(candidate);
                continue;
            }
            TaskId holder = mutex == null ? null : holders.get(mutex);
            if (left.isBlocked(mutex, holder != null && !holder.equals(candidate.task()))) {
                blocked.add(candidate);
            } else if (room.takes(candidate.bytes())) {
                free.add(candidate);
                left.begin(mutex);
            } else {
                leave(candidate);
            }
        }
        if (!blocked.isEmpty()) {
            tx.sql(BLOCK)
                    .places(blocked.stream().map(Candidate::place).toList())
                    .updateExactly(blocked.size());
            blocked.forEach(this::leave);
        }
        return free;
    }

    /** Locks the free mutexes of these tasks, and returns the tasks that hold them. */
    private Map<String, TaskId> holders(List<Candidate> picked) throws SQLException {
        Set<String> mutexes = new TreeSet<>();
        for (Candidate candidate : picked) {
            if (candidate.mutex() != null) {
                mutexes.add(candidate.mutex());
            }
        }
        Map<String, TaskId> holders = new HashMap<>();
        if (!mutexes.isEmpty()) {
            Set<String> unknown = new TreeSet<>(mutexes);
            unknown.removeAll(locked);
            locked.addAll(TaskEnds.tryLockMutexes(tx, unknown));
            tx.sql(HOLDERS)
                    .texts(mutexes)
                    .list(row -> holders.put(row.getString("mutex"), SqlStatement.id(row, "task")));
        }
        return holders;
    }

    /** Writes what the claim has used of the queues' limits. */
    void save() throws SQLException {
        for (Map.Entry<String, Long> mark : left.marks().entrySet()) {
            saveMark(tx, mark.getKey(), mark.getValue());
        }
    }

    private static void saveMark(Transaction tx, String queue, long mark) throws SQLException {
        tx.sql(SAVE_MARK).with(mark).withText(queue).updateOne();
    }

    /** Sets back a mark that a slower limit has set to a later time than the present limit allows. */
    public static void setBackMark(Transaction tx, String queue) throws SQLException {
        QueueSettings settings = tx.queues().of(queue);
        if (settings.startLimit() == null) {
            return;
        }
        Long mark = tx.sql(LOCK_MARKS).texts(List.of(queue)).first(row -> row.getLong("mark"));
        long next = mark == null ? 0 : ClaimAllowances.markUnder(settings, mark, tx.nowInstant());
        if (mark != null && next != mark) {
            saveMark(tx, queue, next);
        }
    }

    /** Returns whether a queue allows no start now, so that its next woken workflow may come before its next task. */
    boolean holdsBackStarts(String queue) {
        return left.holdsBackStarts(queue);
    }

    /** Returns when a queue gives the woken workflow that is due next, or null if it gives none. */
    @Nullable
    Long nextWoken(String queue, long dueAt) {
        Instant next = left.nextWoken(queue, Instant.ofEpochMilli(dueAt));
        return next == null ? null : (Long) next.toEpochMilli();
    }

    /** Returns whether a queue may give its next task later than that is due. */
    boolean holdsBack(String queue) {
        return left.holdsBack(queue);
    }

    /** Returns when a queue that holds back gives the task that is due next, or null if it gives none. */
    @Nullable
    Long next(String queue, long dueAt) {
        Instant next = left.next(queue, Instant.ofEpochMilli(dueAt));
        return next == null ? null : (Long) next.toEpochMilli();
    }
}
