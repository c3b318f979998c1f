package dev.semel.postgresql.table;

import dev.semel.postgresql.transaction.LockKind;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.HistoryLine;
import dev.semel.store.InboxEntry;
import dev.semel.store.Operation;
import dev.semel.store.Settlement;
import dev.semel.store.StoredFlow;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What one transaction changes about workflows: lines, waits, entries. It is written at the end of the transaction, under locks on the
 * counters of all workflows concerned, which are the last locks in the order of {@link LockKind}.
 *
 * <p>An attempt that waits has ended by then, as if it had to wait. If its inbox has what it waits for, it is woken here, as it would be
 * by an entry that comes later.
 */
public final class FlowChanges implements Transaction.Ending {

    // Whether a workflow has begun, and whether it is parked: a parked task waits for neither a task nor a mutex.
    private static final String BEGUN = """
            SELECT coalesce(r.attempt, w.attempt, q.attempt, 0) > 0 AS begun,
              w.task IS NOT NULL AND w.after IS NULL AND w.mutex IS NULL AS parked
            FROM semel.task t
            LEFT JOIN LATERAL (SELECT x.attempt FROM semel.running x WHERE x.task = t.id LIMIT 1) r ON true
            LEFT JOIN LATERAL (SELECT x.task, x.attempt, x.after, x.mutex FROM semel.waiting x WHERE x.task = t.id LIMIT 1) w ON true
            LEFT JOIN LATERAL (SELECT x.attempt FROM semel.ready x WHERE x.task = t.id AND x.attempt > 0 LIMIT 1) q ON true
            WHERE t.id = ? AND (left(t.retry, 1) = '~' OR (SELECT 1 FROM semel.flow f WHERE f.task = t.id LIMIT 1) = 1)
            """;

    private final Map<TaskId, List<HistoryLine>> lines = new LinkedHashMap<>();
    private final Map<TaskId, Settlement.Wait> waits = new LinkedHashMap<>();
    private final Map<TaskId, Settlement.Continue> continuations = new LinkedHashMap<>();
    private final Map<TaskId, List<InboxEntry>> entries = new LinkedHashMap<>();
    private final Set<TaskId> cancelled = new LinkedHashSet<>();

    // Those that are given counters if they have none, because of their entries.
    private final Set<TaskId> counted = new LinkedHashSet<>();

    private FlowChanges() {}

    /** What a transaction changes about workflows. */
    public static FlowChanges of(Transaction tx) {
        return (FlowChanges) tx.ending(FlowChanges::new);
    }

    /** Adds lines to the history of a workflow whose running attempt is locked. */
    public void add(TaskId workflow, List<HistoryLine> added) {
        lines.computeIfAbsent(workflow, id -> new ArrayList<>()).addAll(added);
    }

    /** Records that an attempt has ended with a wait and its task is open. */
    public void await(Settlement.Wait wait) {
        waits.put(wait.lease().taskId(), wait);
    }

    /** Records that an attempt has ended, its task is open, and its code continues as new. */
    public void continueAsNew(Settlement.Continue next) {
        continuations.put(next.lease().taskId(), next);
    }

    /** Adds an entry to the inbox of a workflow. */
    public void append(TaskId workflow, InboxEntry entry) {
        entries.computeIfAbsent(workflow, id -> new ArrayList<>()).add(entry);
    }

    /**
     * Requests the cancellation of a locked workflow that is replaced, unless it was requested before. It is marked as watched, so that its end
     * looks for the new task.
     *
     * @return false if the task is no workflow that may clean up, so that it ends as any other
     */
    public static boolean requestCancellation(Transaction tx, TaskId task, TaskState state) throws SQLException {
        Boolean asks = tx.sql(BEGUN)
                .with(task)
                .first(row -> StoredFlow.mayCleanUp(state, row.getBoolean("begun"), row.getBoolean("parked")));
        if (asks == null || !asks) {
            return false;
        }
        WatchRows.mark(tx, task);
        of(tx).cancelled.add(task);
        return true;
    }

    /** Adds the resolution of a locked effect to the inbox of a workflow, unless it is there. */
    public static void resolved(Transaction tx, TaskId workflow, Operation.Resolve operation) throws SQLException {
        InboxEntry entry = StoredFlow.resolved(operation, tx.nowInstant());
        // The lock on the effect keeps others from adding an entry with this key.
        if (!InboxRows.hasKey(tx, workflow, Objects.requireNonNull(entry.key()))) {
            of(tx).counted.add(workflow);
            of(tx).append(workflow, entry);
        }
    }

    @Override
    public void run(Transaction tx) throws SQLException {
        SortedSet<TaskId> needed = new TreeSet<>(lines.keySet());
        needed.addAll(waits.keySet());
        needed.addAll(continuations.keySet());
        needed.addAll(cancelled);
        needed.addAll(counted);
        Map<TaskId, StoredFlow> flows = FlowRows.lock(tx, needed, entries.keySet());
        HistoryRows.add(tx, lines);
        for (Map.Entry<TaskId, List<HistoryLine>> added : lines.entrySet()) {
            for (HistoryLine line : added.getValue()) {
                flows.computeIfPresent(added.getKey(), (id, flow) -> flow.plus(line));
            }
        }
        for (TaskId workflow : cancelled) {
            if (!InboxRows.hasKey(tx, workflow, StoredFlow.CANCEL_KEY)) {
                append(workflow, StoredFlow.cancellation(tx.nowInstant()));
            }
        }
        Set<TaskId> ready = new HashSet<>();
        waits.forEach((id, wait) -> {
            StoredFlow flow = Objects.requireNonNull(flows.get(id));
            if (!flow.mustWait(wait)) {
                ready.add(id);
            }
            flows.put(id, flow.waiting(wait));
        });
        SortedMap<TaskId, Integer> woken = InboxRows.append(tx, flows, entries);
        for (TaskId id : ready) {
            woken.put(id, Objects.requireNonNull(waits.get(id)).lease().attempt());
        }
        if (!flows.isEmpty()) {
            FlowRows.save(tx, flows);
        }
        for (Settlement.Continue next : continuations.values()) {
            GenerationRows.continueAsNew(
                    tx, Objects.requireNonNull(flows.get(next.lease().taskId())), next);
        }
        InboxRows.wake(tx, woken);
    }
}
