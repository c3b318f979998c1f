package dev.semel.postgresql.table;

import dev.semel.postgresql.sql.ErrorTranslator;
import dev.semel.postgresql.sql.Race;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.InboxEntry;
import dev.semel.store.StoredFlow;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted.Signalled;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The inboxes of workflows: adds the ends of steps and signals, and wakes the workflows that wait for them.
 *
 * <p>An append locks the row of counters ({@link FlowRows}) and decides by what the locking statement has read.
 */
public final class InboxRows {

    private static final String ADD_ENTRIES = """
            INSERT INTO semel.inbox (task, number, at, step, state, name, key, error, document)
            SELECT * FROM unnest(?, ?, ?, ?, ?, ?, ?, ?, ?)
            """;

    private static final String ACCEPTED = "SELECT 1 FROM semel.inbox WHERE task = ? AND key = ?";

    // The first task of a series has no series of its own: its id is the series.
    private static final String ACCEPTED_BEFORE = """
            SELECT 1 FROM semel.task t
            CROSS JOIN LATERAL (
              SELECT t.series AS task
              UNION ALL
              SELECT x.id FROM semel.task x WHERE x.series = t.series AND x.run < t.run
            ) e
            CROSS JOIN LATERAL (SELECT 1 FROM semel.inbox i WHERE i.task = e.task AND i.key = ? LIMIT 1) f
            WHERE t.id = ? AND t.series IS NOT NULL LIMIT 1
            """;

    // NULL for a task that is open; no row for one that is not stored.
    private static final String STATE = """
            SELECT (SELECT d.state FROM semel.done d WHERE d.task = t.id LIMIT 1) AS state FROM semel.task t WHERE t.id = ?
            """;

    // A workflow that waits for its inbox waits, in the column after, for itself: neither another end nor a mutex lets
    // it go. This waits for nobody, because the counters are locked, and whoever has locked the row may wait for those.
    private static final String WAKE = """
            WITH inbox AS MATERIALIZED (
              SELECT w.place FROM unnest(?, ?) AS m (task, attempt)
              CROSS JOIN LATERAL (
                SELECT x.ctid AS place, x.task, x.after, x.attempt FROM semel.waiting x WHERE x.task = m.task
                LIMIT 1 FOR UPDATE NOWAIT) w
              WHERE w.attempt = m.attempt AND w.after = w.task
            ), listening AS (
              DELETE FROM semel.waiting WHERE ctid = ANY (ARRAY(SELECT place FROM inbox))
              RETURNING task, seq, lane, attempt, failures, vanished, priority, watched
            ), timer AS MATERIALIZED (
              SELECT r.place FROM unnest(?, ?) AS m (task, attempt)
              CROSS JOIN LATERAL (
                SELECT x.ctid AS place, x.attempt, x.order_at + x.priority * 60000::bigint AS due_at FROM semel.ready x
                WHERE x.task = m.task AND x.attempt > 0 LIMIT 1 FOR UPDATE NOWAIT) r
              WHERE r.attempt = m.attempt AND r.due_at > ?
            ), sleeping AS (
              DELETE FROM semel.ready WHERE ctid = ANY (ARRAY(SELECT place FROM timer))
              RETURNING task, seq, lane, attempt, failures, vanished, priority, watched
            )
            INSERT INTO semel.ready (task, seq, order_at, lane, attempt, failures, vanished, priority, suspect, mutex, watched,
              woken)
            SELECT f.task, f.seq, ? - f.priority * 60000::bigint, f.lane, f.attempt, f.failures, f.vanished, f.priority,
              f.vanished > 0, CASE WHEN t.mutex IS NOT NULL THEN
                (SELECT l.tenant || chr(31) || l.type || chr(31) || t.mutex FROM semel.lane l WHERE l.id = t.lane) END,
              f.watched, f.lane
            FROM (SELECT * FROM listening UNION ALL SELECT * FROM sleeping) f
            CROSS JOIN LATERAL (SELECT x.lane, x.mutex FROM semel.task x WHERE x.id = f.task LIMIT 1) t
            RETURNING lane
            """;

    private InboxRows() {}

    /**
     * Adds entries to the inboxes of workflows whose counters are locked, and writes the counters. One that has ended is not woken, but if
     * it is redriven it must not wait for what has happened meanwhile.
     *
     * @param flows the counters; those of workflows that are not stored are missing, and their entries are dropped
     * @return the workflows that waited for their entries, and the attempts that wait
     */
    static SortedMap<TaskId, Integer> append(
            Transaction tx, Map<TaskId, StoredFlow> flows, Map<TaskId, List<InboxEntry>> entries) throws SQLException {
        List<TaskId> tasks = new ArrayList<>();
        List<InboxEntry> added = new ArrayList<>();
        SortedMap<TaskId, Integer> woken = new TreeMap<>();
        for (TaskId workflow : new TreeSet<>(flows.keySet())) {
            for (InboxEntry entry : entries.getOrDefault(workflow, List.of())) {
                StoredFlow.Appended appended =
                        Objects.requireNonNull(flows.get(workflow)).plus(entry);
                flows.put(workflow, appended.flow());
                tasks.add(workflow);
                added.add(appended.entry());
                if (appended.wakes()) {
                    woken.put(workflow, appended.flow().waited());
                }
            }
        }
        if (!added.isEmpty()) {
            insert(tx, tasks, added);
        }
        return woken;
    }

    static void insert(Transaction tx, List<TaskId> tasks, List<InboxEntry> entries) throws SQLException {
        List<@Nullable String> states = new ArrayList<>();
        List<@Nullable String> errors = new ArrayList<>();
        for (InboxEntry entry : entries) {
            states.add(entry.state() == null ? null : entry.state().word());
            errors.add(TaskReader.storable(entry.error()));
        }
        tx.sql(ADD_ENTRIES)
                .ids(tasks)
                .ints(entries.stream().map(InboxEntry::number).toList())
                .longs(entries.stream().map(entry -> entry.at().toEpochMilli()).toList())
                .idsOrNull(entries.stream().map(InboxEntry::step).toList())
                .texts(states)
                .texts(entries.stream().map(InboxEntry::name).toList())
                .texts(entries.stream().map(InboxEntry::key).toList())
                .texts(errors)
                .texts(entries.stream().map(InboxEntry::document).toList())
                .updateExactly(entries.size());
    }

    /** Wakes workflows that wait since these attempts. Their counters are locked. */
    static void wake(Transaction tx, SortedMap<TaskId, Integer> attempts) throws SQLException {
        if (attempts.isEmpty()) {
            return;
        }
        for (int lane : woken(tx, attempts)) {
            tx.news().due(tx.lane(lane).queue());
        }
    }

    private static List<Integer> woken(Transaction tx, SortedMap<TaskId, Integer> attempts) throws SQLException {
        try {
            return tx.sql(WAKE)
                    .ids(attempts.keySet())
                    .ints(attempts.values())
                    .ids(attempts.keySet())
                    .ints(attempts.values())
                    .with(tx.now())
                    .with(tx.now())
                    .list(row -> row.getInt("lane"));
        } catch (SQLException e) {
            if (ErrorTranslator.isLockTimeout(e)) {
                throw new Race("a workflow that is woken was locked by another transaction");
            }
            throw e;
        }
    }

    /** Delivers a signal. */
    public static Signalled signal(Transaction tx, SubmitRequest.Signal signal) throws SQLException {
        TaskId id = signal.taskId();
        TaskState before = state(tx, id);
        if (before == null) {
            return Signalled.NOT_FOUND;
        }
        StoredFlow flow = before.isOpen() ? FlowRows.lock(tx, id) : FlowRows.find(tx, id);
        // Read again: it may have ended while this transaction waited for its counters, and would drop what was
        // accepted.
        TaskState state = before.isOpen() ? state(tx, id) : before;
        boolean accepted = isAccepted(tx, signal);
        Signalled answer = FlowRows.forLimits(tx, id, flow, 1).decide(state, accepted);
        if (answer == Signalled.ACCEPTED && !accepted) {
            Map<TaskId, StoredFlow> flows = new HashMap<>(Map.of(id, flow));
            SortedMap<TaskId, Integer> woken = append(tx, flows, Map.of(id, List.of(signal.entry(tx.nowInstant()))));
            FlowRows.save(tx, flows);
            wake(tx, woken);
        }
        return answer;
    }

    /** Returns whether an inbox has an entry with a key. */
    public static boolean hasKey(Transaction tx, TaskId task, String key) throws SQLException {
        return tx.sql(ACCEPTED).with(task).withText(key).first(row -> true) != null;
    }

    private static @Nullable TaskState state(Transaction tx, TaskId id) throws SQLException {
        return tx.sql(STATE)
                .with(id)
                .first(row -> row.getString("state") == null
                        ? TaskState.PENDING // open; which state does not matter
                        : TaskState.parse(row.getString("state")));
    }

    private static boolean isAccepted(Transaction tx, SubmitRequest.Signal signal) throws SQLException {
        if (hasKey(tx, signal.taskId(), signal.key())) {
            return true;
        }
        return StoredFlow.isSharedByRuns(signal.key())
                && tx.sql(ACCEPTED_BEFORE)
                                .withText(signal.key())
                                .with(signal.taskId())
                                .first(row -> true)
                        != null;
    }
}
