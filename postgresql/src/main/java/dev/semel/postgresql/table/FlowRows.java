package dev.semel.postgresql.table;

import dev.semel.postgresql.sql.Race;
import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.postgresql.transaction.LockKind;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.StoredFlow;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The counters of workflows. {@link StoredFlow} decides what happens to them.
 *
 * <p>A wait and an append lock the row of counters, and decide by what the locking statement has read. It is the last lock that a
 * transaction takes. What follows is a statement of its own, so it sees what the transaction did that had the lock before.
 */
public final class FlowRows {

    private static final String MAKE = """
            INSERT INTO semel.flow (task, lines, inbox, urgent, wake_after, waited, bytes, generation)
            SELECT k.task, 0, 0, 0, 0, 0, 0, 1 FROM unnest(?) AS k (task) ON CONFLICT DO NOTHING
            """;

    private static final String LOCK = """
            SELECT f.task, f.lines, f.inbox, f.urgent, f.wake_after, f.waited, f.bytes, f.generation FROM unnest(?) AS k (task)
            CROSS JOIN LATERAL (SELECT * FROM semel.flow x WHERE x.task = k.task LIMIT 1 FOR UPDATE) f
            """;

    private static final String FIND =
            "SELECT task, lines, inbox, urgent, wake_after, waited, bytes, generation FROM semel.flow WHERE task = ?";

    private static final String SAVE = """
            UPDATE semel.flow f SET lines = m.lines, inbox = m.inbox, urgent = m.urgent, wake_after = m.wake_after, waited = m.waited,
              bytes = m.bytes
            FROM unnest(?, ?, ?, ?, ?, ?, ?) AS m (task, lines, inbox, urgent, wake_after, waited, bytes)
            WHERE f.task = ANY (ARRAY[m.task])
            """;

    private static final String PROGRESS =
            "UPDATE semel.running SET failures = 0, vanished = 0 WHERE task = ? AND attempt = ?";

    private static final String WAITED = "SELECT 1 FROM semel.flow WHERE task = ? AND waited >= ?";

    private static final String COUNT_ENTRIES = "SELECT count(*)::int AS entries FROM semel.inbox WHERE task = ?";

    private FlowRows() {}

    /** The counters of a workflow, without a lock; those of a new one if it has none yet. */
    public static StoredFlow find(Transaction tx, TaskId workflow) throws SQLException {
        StoredFlow found = tx.sql(FIND).with(workflow).first(FlowRows::flow);
        return found == null ? StoredFlow.NEW : found;
    }

    /** Returns counters by which it is decided whether a history is full. */
    public static StoredFlow forLimits(Transaction tx, TaskId workflow, StoredFlow flow, int more) throws SQLException {
        Integer entries =
                flow.needsCount(more) ? tx.sql(COUNT_ENTRIES).with(workflow).first(row -> row.getInt("entries")) : null;
        return entries == null ? flow : flow.withEntries(entries);
    }

    /** Locks the counters of a workflow. */
    public static StoredFlow lock(Transaction tx, TaskId workflow) throws SQLException {
        return Objects.requireNonNull(
                lock(tx, new TreeSet<>(List.of(workflow)), Set.of()).get(workflow));
    }

    /**
     * Locks the counters of workflows.
     *
     * @param needed those whose counters are made if there are none
     * @param others those without counters are no workflows that are stored
     */
    static Map<TaskId, StoredFlow> lock(Transaction tx, SortedSet<TaskId> needed, Set<TaskId> others)
            throws SQLException {
        SortedSet<TaskId> all = new TreeSet<>(needed);
        all.addAll(others);
        Map<TaskId, StoredFlow> locked = locked(tx, all);
        if (!locked.keySet().containsAll(needed)) {
            tx.sql(MAKE).ids(needed).update();
            locked = locked(tx, all);
        }
        if (!locked.keySet().containsAll(needed)) {
            throw new Race("a workflow was deleted while its counters were to be locked");
        }
        return locked;
    }

    private static Map<TaskId, StoredFlow> locked(Transaction tx, SortedSet<TaskId> workflows) throws SQLException {
        Map<TaskId, StoredFlow> locked = new HashMap<>();
        tx.sql(LOCK).ids(workflows).results(row -> {
            tx.locked(LockKind.FLOW);
            locked.put(SqlStatement.id(row, "task"), flow(row));
        });
        return locked;
    }

    /** Reads counters; those of a new workflow if the columns are NULL. */
    public static StoredFlow flow(ResultSet row) throws SQLException {
        return new StoredFlow(
                row.getInt("lines"),
                row.getInt("inbox"),
                row.getInt("urgent"),
                row.getInt("wake_after"),
                row.getInt("waited"),
                row.getLong("bytes"),
                Math.max(1, row.getInt("generation")));
    }

    /** Writes counters that are locked. */
    static void save(Transaction tx, Map<TaskId, StoredFlow> flows) throws SQLException {
        List<StoredFlow> values = List.copyOf(flows.values());
        tx.sql(SAVE)
                .ids(flows.keySet())
                .ints(values.stream().map(StoredFlow::lines).toList())
                .ints(values.stream().map(StoredFlow::inbox).toList())
                .ints(values.stream().map(StoredFlow::urgent).toList())
                .ints(values.stream().map(StoredFlow::wakeAfter).toList())
                .ints(values.stream().map(StoredFlow::waited).toList())
                .longs(values.stream().map(StoredFlow::bytes).toList())
                .updateExactly(flows.size());
    }

    /** Sets the counted failures of a running attempt to zero; its row is locked. */
    public static boolean progress(Transaction tx, Lease lease) throws SQLException {
        return tx.sql(PROGRESS).with(lease.taskId()).with(lease.attempt()).update() == 1;
    }

    /** Returns whether an attempt of which nothing is kept ended with a wait. */
    public static boolean waited(Transaction tx, Lease lease) throws SQLException {
        return tx.sql(WAITED).with(lease.taskId()).with(lease.attempt()).first(row -> true) != null;
    }
}
