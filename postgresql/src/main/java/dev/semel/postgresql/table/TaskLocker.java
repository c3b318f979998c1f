package dev.semel.postgresql.table;

import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.postgresql.transaction.LockKind;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.task.TaskId;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Locks open tasks where they stand, in the order of {@link LockKind}: from then on no other transaction claims, ends
 * or wakes any of them before this one has ended. A task that shares a lease gets a row of its own first.
 */
public final class TaskLocker {

    // Sorted by task: the array is, and each row is looked up and locked in its order.
    private static final String RUNNING = """
            SELECT g.task FROM unnest(?) AS k (task)
            CROSS JOIN LATERAL (SELECT x.task FROM semel.running x WHERE x.task = k.task LIMIT 1 FOR UPDATE) g
            """;

    private static final String READY = """
            SELECT q.task, q.mutex FROM unnest(?) AS k (task)
            CROSS JOIN LATERAL (SELECT * FROM semel.task x WHERE x.id = k.task LIMIT 1) t
            CROSS JOIN LATERAL (
              SELECT a.* FROM (
                SELECT q.task, q.mutex FROM semel.ready q WHERE q.lane = t.lane AND NOT q.suspect AND q.seq = t.seq
                  AND q.order_at = coalesce(t.start_at, t.created_at) - t.priority * 60000::bigint LIMIT 1 FOR UPDATE) a
              UNION ALL
              SELECT b.* FROM (SELECT m.task, m.mutex FROM semel.ready m WHERE m.task = t.id AND m.attempt > 0
                LIMIT 1 FOR UPDATE) b
            ) q
            """;

    private static final String WAITING = """
            SELECT w.task FROM unnest(?) AS k (task)
            CROSS JOIN LATERAL (SELECT x.task FROM semel.waiting x WHERE x.task = k.task LIMIT 1 FOR UPDATE) w
            """;

    // The same three without waiting: what another transaction has locked is passed over.
    private static final String FREE_RUNNING = """
            SELECT g.task FROM unnest(?) AS k (task)
            CROSS JOIN LATERAL (SELECT x.task FROM semel.running x WHERE x.task = k.task LIMIT 1 FOR UPDATE SKIP LOCKED) g
            """;

    private static final String FREE_READY = """
            SELECT q.task, q.mutex FROM unnest(?) AS k (task)
            CROSS JOIN LATERAL (SELECT * FROM semel.task x WHERE x.id = k.task LIMIT 1) t
            CROSS JOIN LATERAL (
              SELECT a.* FROM (
                SELECT q.task, q.mutex FROM semel.ready q WHERE q.lane = t.lane AND NOT q.suspect AND q.seq = t.seq
                  AND q.order_at = coalesce(t.start_at, t.created_at) - t.priority * 60000::bigint
                LIMIT 1 FOR UPDATE SKIP LOCKED) a
              UNION ALL
              SELECT b.* FROM (SELECT m.task, m.mutex FROM semel.ready m WHERE m.task = t.id AND m.attempt > 0
                LIMIT 1 FOR UPDATE SKIP LOCKED) b
            ) q
            """;

    private static final String FREE_WAITING = """
            SELECT w.task FROM unnest(?) AS k (task)
            CROSS JOIN LATERAL (SELECT x.task FROM semel.waiting x WHERE x.task = k.task LIMIT 1 FOR UPDATE SKIP LOCKED) w
            """;

    private TaskLocker() {}

    /**
     * Locks tasks.
     *
     * @param ids which ones
     * @param mutexes those that the transaction will free beside those of the pending ones
     * @return those that are open; one that is not has ended, or moved on at this very moment
     */
    public static Set<TaskId> lock(Transaction tx, Collection<TaskId> ids, Collection<String> mutexes)
            throws SQLException {
        SortedSet<TaskId> sorted = new TreeSet<>(ids);
        int unused = tx.apart(own -> SharedLeases.searchAndTakeOut(own, sorted));
        Set<TaskId> locked = new HashSet<>(running(tx, sorted));
        List<String> freed = new ArrayList<>(mutexes);
        if (locked.size() < sorted.size()) {
            locked.addAll(tx.sql(READY).ids(without(sorted, locked)).list(row -> {
                if (row.getString("mutex") != null) {
                    freed.add(row.getString("mutex"));
                }
                tx.locked(LockKind.READY);
                return SqlStatement.id(row, "task");
            }));
        }
        TaskEnds.lockMutexes(tx, freed);
        if (locked.size() < sorted.size()) {
            locked.addAll(tx.sql(WAITING).ids(without(sorted, locked)).list(row -> {
                tx.locked(LockKind.WAITING);
                return SqlStatement.id(row, "task");
            }));
        }
        return locked;
    }

    /**
     * Locks those of these tasks that no other transaction has locked, and that hold no mutex that one has locked.
     *
     * @return those that are open and locked now
     */
    public static Set<TaskId> lockFree(Transaction tx, Collection<TaskId> ids) throws SQLException {
        SortedSet<TaskId> sorted = new TreeSet<>(ids);
        int unused = SharedLeases.searchAndTakeOutFree(tx, sorted);
        Set<TaskId> locked = new HashSet<>(tx.sql(FREE_RUNNING).ids(sorted).list(row -> {
            TaskId id = SqlStatement.id(row, "task");
            tx.lockedRunning(id);
            return id;
        }));
        if (locked.size() < sorted.size()) {
            Map<TaskId, String> holders = new HashMap<>();
            locked.addAll(tx.sql(FREE_READY).ids(without(sorted, locked)).list(row -> {
                TaskId id = SqlStatement.id(row, "task");
                if (row.getString("mutex") != null) {
                    holders.put(id, row.getString("mutex"));
                }
                tx.locked(LockKind.READY);
                return id;
            }));
            Set<String> free = TaskEnds.lockFreeMutexes(tx, holders.values());
            holders.forEach((id, mutex) -> {
                if (!free.contains(mutex)) {
                    locked.remove(id);
                }
            });
        }
        if (locked.size() < sorted.size()) {
            locked.addAll(tx.sql(FREE_WAITING).ids(without(sorted, locked)).list(row -> {
                tx.locked(LockKind.WAITING);
                return SqlStatement.id(row, "task");
            }));
        }
        return locked;
    }

    /** Locks the rows of running tasks, in their order, and returns the tasks that have one. */
    public static List<TaskId> running(Transaction tx, SortedSet<TaskId> sorted) throws SQLException {
        return tx.sql(RUNNING).ids(sorted).list(row -> {
            TaskId id = SqlStatement.id(row, "task");
            tx.lockedRunning(id);
            return id;
        });
    }

    private static List<TaskId> without(SortedSet<TaskId> all, Set<TaskId> some) {
        return all.stream().filter(id -> !some.contains(id)).toList();
    }
}
