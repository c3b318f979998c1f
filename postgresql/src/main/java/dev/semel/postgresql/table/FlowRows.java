package dev.semel.postgresql.table;

import dev.semel.postgresql.sql.Race;
import dev.semel.postgresql.sql.Session;
import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.postgresql.transaction.LockKind;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.History;
import dev.semel.store.HistoryLine;
import dev.semel.store.InboxEntry;
import dev.semel.store.Settlement;
import dev.semel.store.StoredFlow;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted.Signalled;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The rows of workflows: counters, history, inbox and watches. {@link StoredFlow} decides what happens to them.
 *
 * <p>A wait and an append lock the row of counters, and decide by what the locking statement has read. It is the last lock that a
 * transaction takes. What follows is a statement of its own, so it sees what the transaction did that had the lock before.
 */
public final class FlowRows {

    private static final String MAKE = """
            INSERT INTO semel.flow (task, lines, inbox, urgent, wake_after, waited, bytes)
            SELECT k.task, 0, 0, 0, 0, 0, 0 FROM unnest(?) AS k (task) ON CONFLICT DO NOTHING
            """;

    private static final String LOCK = """
            SELECT f.task, f.lines, f.inbox, f.urgent, f.wake_after, f.waited, f.bytes FROM unnest(?) AS k (task)
            CROSS JOIN LATERAL (SELECT * FROM semel.flow x WHERE x.task = k.task LIMIT 1 FOR UPDATE) f
            """;

    private static final String FIND =
            "SELECT task, lines, inbox, urgent, wake_after, waited, bytes FROM semel.flow WHERE task = ?";

    private static final String SAVE = """
            UPDATE semel.flow f SET inbox = m.inbox, urgent = m.urgent, wake_after = m.wake_after, waited = m.waited,
              bytes = m.bytes
            FROM unnest(?, ?, ?, ?, ?, ?) AS m (task, inbox, urgent, wake_after, waited, bytes)
            WHERE f.task = ANY (ARRAY[m.task])
            """;

    private static final String ADD_LINES = """
            WITH added AS (
              INSERT INTO semel.history (task, number, at, step, kind, name, document)
              SELECT ?, number, ?, step, kind, name, document
              FROM unnest(?, ?, ?, ?, ?) AS m (number, step, kind, name, document)
            )
            UPDATE semel.flow SET lines = ?, bytes = bytes + ? WHERE task = ?
            """;

    private static final String ADD_ENTRIES = """
            INSERT INTO semel.inbox (task, number, at, step, state, name, key, error, document)
            SELECT * FROM unnest(?, ?, ?, ?, ?, ?, ?, ?, ?)
            """;

    private static final String ACCEPTED = "SELECT 1 FROM semel.inbox WHERE task = ? AND key = ?";

    // NULL for a task that is open; no row for one that is not stored.
    private static final String STATE = """
            SELECT (SELECT d.state FROM semel.done d WHERE d.task = t.id LIMIT 1) AS state FROM semel.task t WHERE t.id = ?
            """;

    private static final String OPEN = """
            SELECT t.id FROM unnest(?) AS k (task)
            CROSS JOIN LATERAL (SELECT x.id FROM semel.task x WHERE x.id = k.task LIMIT 1) t
            WHERE (SELECT 1 FROM semel.done d WHERE d.task = t.id LIMIT 1) IS NULL
            """;

    // A workflow that waits for its inbox waits, in the column after, for itself: neither another end nor a mutex lets
    // it go.
    private static final String WAKE = """
            WITH inbox AS MATERIALIZED (
              SELECT w.place FROM unnest(?, ?) AS m (task, attempt)
              CROSS JOIN LATERAL (
                SELECT x.ctid AS place, x.task, x.after, x.attempt FROM semel.waiting x WHERE x.task = m.task
                LIMIT 1 FOR UPDATE) w
              WHERE w.attempt = m.attempt AND w.after = w.task
            ), listening AS (
              DELETE FROM semel.waiting WHERE ctid = ANY (ARRAY(SELECT place FROM inbox))
              RETURNING task, seq, lane, attempt, failures, vanished, priority, watched
            ), timer AS MATERIALIZED (
              SELECT r.place FROM unnest(?, ?) AS m (task, attempt)
              CROSS JOIN LATERAL (
                SELECT x.ctid AS place, x.attempt, x.order_at + x.priority * 60000::bigint AS due_at FROM semel.ready x
                WHERE x.task = m.task AND x.attempt > 0 LIMIT 1 FOR UPDATE) r
              WHERE r.attempt = m.attempt AND r.due_at > ?
            ), sleeping AS (
              DELETE FROM semel.ready WHERE ctid = ANY (ARRAY(SELECT place FROM timer))
              RETURNING task, seq, lane, attempt, failures, vanished, priority, watched
            )
            INSERT INTO semel.ready (task, seq, order_at, lane, attempt, failures, vanished, priority, suspect, mutex, watched)
            SELECT f.task, f.seq, ? - f.priority * 60000::bigint, f.lane, f.attempt, f.failures, f.vanished, f.priority,
              f.vanished > 0, CASE WHEN t.mutex IS NOT NULL THEN
                (SELECT l.tenant || chr(31) || l.type || chr(31) || t.mutex FROM semel.lane l WHERE l.id = t.lane) END,
              f.watched
            FROM (SELECT * FROM listening UNION ALL SELECT * FROM sleeping) f
            CROSS JOIN LATERAL (SELECT x.lane, x.mutex FROM semel.task x WHERE x.id = f.task LIMIT 1) t
            RETURNING lane
            """;

    private static final String WATCH = """
            INSERT INTO semel.watch (step, workflow, created)
            SELECT m.step, ?, m.created = 1 FROM unnest(?, ?) AS m (step, created) ON CONFLICT DO NOTHING
            """;

    // Where a task stands that was never claimed, its row in the table task says; ready has no index for it.
    private static final String MARK_READY = """
            WITH place AS MATERIALIZED (
              SELECT q.ctid FROM unnest(?) AS k (task)
              CROSS JOIN LATERAL (SELECT * FROM semel.task x WHERE x.id = k.task LIMIT 1) t
              CROSS JOIN LATERAL (
                SELECT a.ctid FROM (
                  SELECT q.ctid FROM semel.ready q WHERE q.lane = t.lane AND NOT q.suspect AND q.seq = t.seq
                    AND q.order_at = coalesce(t.start_at, t.created_at) - t.priority * 60000::bigint LIMIT 1) a
                UNION
                SELECT b.ctid FROM (SELECT m.ctid FROM semel.ready m WHERE m.task = t.id AND m.attempt > 0 LIMIT 1) b
              ) q
            )
            UPDATE semel.ready SET watched = true WHERE ctid = ANY (ARRAY(SELECT ctid FROM place))
            """;

    private static final String MARK_WAITING = "UPDATE semel.waiting SET watched = true WHERE task = ANY (?)";

    private static final String MARK_RUNNING = "UPDATE semel.running SET watched = true WHERE task = ANY (?)";

    private static final String WATCHERS = "SELECT workflow, created FROM semel.watch WHERE step = ?";

    private static final String UNWATCH = "DELETE FROM semel.watch WHERE step = ? AND workflow = ?";

    private static final String END_WATCHES = """
            WITH gone AS (
              DELETE FROM semel.watch w USING unnest(?) AS k (step) WHERE w.step = ANY (ARRAY[k.step])
              RETURNING w.step, w.workflow
            )
            SELECT g.workflow, d.task, d.lane, d.state, d.result, coalesce(d.error, (
                SELECT coalesce(a.given_up, a.error) FROM semel.attempt a WHERE a.task = d.task AND a.error IS NOT NULL
                ORDER BY a.number DESC LIMIT 1)) AS error
            FROM gone g CROSS JOIN LATERAL (SELECT * FROM semel.done x WHERE x.task = g.step LIMIT 1) d
            """;

    private static final String LAST_ERROR = """
            SELECT coalesce(d.error, (
                SELECT coalesce(a.given_up, a.error) FROM semel.attempt a WHERE a.task = d.task AND a.error IS NOT NULL
                ORDER BY a.number DESC LIMIT 1)) AS error
            FROM semel.done d WHERE d.task = ?
            """;

    private static final String RUNNING = """
            SELECT g.task FROM unnest(?, ?) AS k (task, attempt)
            CROSS JOIN LATERAL (
              SELECT x.task FROM semel.running x WHERE x.task = k.task AND x.attempt = k.attempt LIMIT 1 FOR UPDATE) g
            """;

    private static final String PROGRESS =
            "UPDATE semel.running SET failures = 0, vanished = 0 WHERE task = ? AND attempt = ?";

    private static final String WAITED = "SELECT 1 FROM semel.flow WHERE task = ? AND waited >= ?";

    private static final String NOW =
            "SELECT coalesce(?, (extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS now";

    private static final String LINES = """
            SELECT number, kind, name, step, document, at FROM semel.history WHERE task = ? AND number > ? ORDER BY number
            """;

    private static final String ENTRIES = """
            SELECT number, name, step, state, key, document, error, at FROM semel.inbox
            WHERE task = ? AND number > ? ORDER BY number
            """;

    private FlowRows() {}

    /** The counters of a workflow, without a lock; those of a new one if it has none yet. */
    public static StoredFlow find(Transaction tx, TaskId workflow) throws SQLException {
        StoredFlow found = tx.sql(FIND).with(workflow).first(FlowRows::flow);
        return found == null ? StoredFlow.NEW : found;
    }

    /** Locks the counters of a workflow. */
    public static StoredFlow lock(Transaction tx, TaskId workflow) throws SQLException {
        return Objects.requireNonNull(lock(tx, new TreeSet<>(List.of(workflow))).get(workflow));
    }

    private static Map<TaskId, StoredFlow> lock(Transaction tx, SortedSet<TaskId> workflows) throws SQLException {
        Map<TaskId, StoredFlow> locked = locked(tx, workflows);
        if (locked.size() < workflows.size()) {
            tx.sql(MAKE).ids(workflows).update();
            locked = locked(tx, workflows);
        }
        if (locked.size() < workflows.size()) {
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

    private static StoredFlow flow(ResultSet row) throws SQLException {
        return new StoredFlow(
                row.getInt("lines"),
                row.getInt("inbox"),
                row.getInt("urgent"),
                row.getInt("wake_after"),
                row.getInt("waited"),
                row.getLong("bytes"));
    }

    /** Writes counters that are locked, except for the number of lines. */
    private static void save(Transaction tx, Map<TaskId, StoredFlow> flows) throws SQLException {
        List<StoredFlow> values = List.copyOf(flows.values());
        tx.sql(SAVE)
                .ids(flows.keySet())
                .ints(values.stream().map(StoredFlow::inbox).toList())
                .ints(values.stream().map(StoredFlow::urgent).toList())
                .ints(values.stream().map(StoredFlow::wakeAfter).toList())
                .ints(values.stream().map(StoredFlow::waited).toList())
                .longs(values.stream().map(StoredFlow::bytes).toList())
                .updateExactly(flows.size());
    }

    // ---- the workflow's own attempt

    /** Sets the counted failures of a running attempt to zero; its row is locked. */
    public static boolean progress(Transaction tx, Lease lease) throws SQLException {
        return tx.sql(PROGRESS).with(lease.taskId()).with(lease.attempt()).update() == 1;
    }

    /** Adds lines behind those that are stored. The counters are locked. */
    public static void add(Transaction tx, TaskId workflow, List<HistoryLine> lines) throws SQLException {
        long bytes = 0;
        StoredFlow none = StoredFlow.NEW;
        for (HistoryLine line : lines) {
            bytes += none.plus(line).bytes();
        }
        tx.sql(ADD_LINES)
                .with(workflow)
                .with(tx.now())
                .ints(lines.stream().map(HistoryLine::number).toList())
                .idsOrNull(lines.stream().map(HistoryLine::task).toList())
                .texts(lines.stream().map(line -> line.kind().word()).toList())
                .texts(lines.stream().map(HistoryLine::name).toList())
                .texts(lines.stream().map(HistoryLine::document).toList())
                .with(lines.getLast().number())
                .with(bytes)
                .with(workflow)
                .updateOne();
    }

    /** Records that attempts end with a wait, if they run; returns the tasks that have to wait. */
    public static Set<TaskId> await(Transaction tx, List<Settlement.Wait> waits) throws SQLException {
        Set<TaskId> waiting = new HashSet<>();
        if (waits.isEmpty()) {
            return waiting;
        }
        Map<TaskId, Settlement.Wait> byTask = new HashMap<>();
        waits.forEach(wait -> byTask.put(wait.lease().taskId(), wait));
        SortedSet<TaskId> running = new TreeSet<>();
        tx.sql(RUNNING)
                .ids(waits.stream().map(wait -> wait.lease().taskId()).toList())
                .ints(waits.stream().map(wait -> wait.lease().attempt()).toList())
                .results(row -> {
                    TaskId id = SqlStatement.id(row, "task");
                    tx.lockedRunning(id);
                    running.add(id);
                });
        if (running.isEmpty()) {
            return waiting;
        }
        Map<TaskId, StoredFlow> flows = lock(tx.unordered(), running);
        flows.replaceAll((id, flow) -> {
            Settlement.Wait wait = Objects.requireNonNull(byTask.get(id));
            if (flow.mustWait(wait)) {
                waiting.add(id);
            }
            return flow.waiting(wait);
        });
        save(tx, flows);
        return waiting;
    }

    /** Returns whether an attempt of which nothing is kept ended with a wait. */
    public static boolean waited(Transaction tx, Lease lease) throws SQLException {
        return tx.sql(WAITED).with(lease.taskId()).with(lease.attempt()).first(row -> true) != null;
    }

    // ---- watches

    /** Watches tasks that this transaction has made or locked. */
    public static void watch(Transaction tx, TaskId workflow, Map<TaskId, Boolean> created) throws SQLException {
        if (created.isEmpty()) {
            return;
        }
        SortedMap<TaskId, Boolean> sorted = new TreeMap<>(created);
        tx.sql(WATCH)
                .with(workflow)
                .ids(sorted.keySet())
                .ints(sorted.values().stream().map(own -> own ? 1 : 0).toList())
                .update();
        int marked = tx.sql(MARK_READY).ids(sorted.keySet()).update();
        if (marked < sorted.size()) {
            marked += tx.sql(MARK_WAITING).ids(sorted.keySet()).update();
        }
        if (marked < sorted.size()) {
            marked += tx.sql(MARK_RUNNING).ids(sorted.keySet()).update();
        }
        if (marked != sorted.size()) {
            throw new IllegalStateException(
                    "Expected " + sorted.size() + " locked tasks to be watched, but found " + marked);
        }
    }

    /** The workflows that watch a step, and whether each created it. */
    public static Map<TaskId, Boolean> watchers(Transaction tx, TaskId step) throws SQLException {
        Map<TaskId, Boolean> watchers = new HashMap<>();
        tx.sql(WATCHERS)
                .with(step)
                .results(row -> watchers.put(SqlStatement.id(row, "workflow"), row.getBoolean("created")));
        return watchers;
    }

    public static void unwatch(Transaction tx, TaskId workflow, TaskId step) throws SQLException {
        tx.sql(UNWATCH).with(step).with(workflow).updateOne();
    }

    /** The last error of a task that has ended, or null. */
    public static @Nullable String lastError(Transaction tx, TaskId id) throws SQLException {
        List<String> errors = new ArrayList<>();
        tx.sql(LAST_ERROR).with(id).results(row -> {
            if (row.getString("error") != null) {
                errors.add(row.getString("error"));
            }
        });
        return errors.isEmpty() ? null : errors.getFirst();
    }

    /** Ends the watches of tasks that have ended, and returns the entries for those who waited, in the order of the ends. */
    static Map<TaskId, List<InboxEntry>> endWatches(Transaction tx, List<TaskId> order) throws SQLException {
        if (order.isEmpty()) {
            return Map.of();
        }
        record End(
                TaskId workflow,
                TaskId step,
                int lane,
                TaskState state,
                @Nullable String result,
                @Nullable String error) {}
        Map<TaskId, Integer> positions = new HashMap<>();
        order.forEach(id -> positions.putIfAbsent(id, positions.size()));
        List<End> ends = new ArrayList<>(tx.sql(END_WATCHES)
                .ids(new TreeSet<>(order))
                .list(row -> new End(
                        SqlStatement.id(row, "workflow"),
                        SqlStatement.id(row, "task"),
                        row.getInt("lane"),
                        TaskState.parse(row.getString("state")),
                        row.getString("result"),
                        row.getString("error"))));
        ends.sort(Comparator.comparing(end -> positions.getOrDefault(end.step(), 0)));
        Map<TaskId, List<InboxEntry>> entries = new LinkedHashMap<>();
        for (End end : ends) {
            String type = tx.lane(end.lane()).type();
            entries.computeIfAbsent(end.workflow(), id -> new ArrayList<>())
                    .add(StoredFlow.ended(type, end.step(), end.state(), end.result(), end.error(), tx.nowInstant()));
        }
        return entries;
    }

    // ---- the inbox

    /** Adds entries to the inboxes of workflows that are open, and wakes those that waited for them. */
    public static void append(Transaction tx, Map<TaskId, List<InboxEntry>> entries) throws SQLException {
        if (entries.isEmpty()) {
            return;
        }
        SortedSet<TaskId> open = new TreeSet<>(
                tx.sql(OPEN).ids(new TreeSet<>(entries.keySet())).list(row -> SqlStatement.id(row, "id")));
        if (open.isEmpty()) {
            return;
        }
        Map<TaskId, StoredFlow> flows = lock(tx, open);
        List<TaskId> tasks = new ArrayList<>();
        List<InboxEntry> added = new ArrayList<>();
        SortedMap<TaskId, Integer> woken = new TreeMap<>();
        for (TaskId workflow : open) {
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
        insert(tx, tasks, added);
        save(tx, flows);
        wake(tx, woken);
    }

    private static void insert(Transaction tx, List<TaskId> tasks, List<InboxEntry> entries) throws SQLException {
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

    private static void wake(Transaction tx, SortedMap<TaskId, Integer> attempts) throws SQLException {
        if (attempts.isEmpty()) {
            return;
        }
        List<Integer> lanes = tx.sql(WAKE)
                .ids(attempts.keySet())
                .ints(attempts.values())
                .ids(attempts.keySet())
                .ints(attempts.values())
                .with(tx.now())
                .with(tx.now())
                .list(row -> row.getInt("lane"));
        for (int lane : lanes) {
            tx.news().due(tx.lane(lane).queue());
        }
    }

    /** Delivers a signal. */
    public static Signalled signal(Transaction tx, SubmitRequest.Signal signal) throws SQLException {
        TaskId id = signal.taskId();
        List<TaskState> states = new ArrayList<>();
        tx.sql(STATE)
                .with(id)
                .results(row -> states.add(
                        row.getString("state") == null
                                ? TaskState.PENDING // open; which state does not matter
                                : TaskState.parse(row.getString("state"))));
        if (states.isEmpty()) {
            return Signalled.NOT_FOUND;
        }
        boolean open = states.getFirst().isOpen();
        StoredFlow flow = open ? lock(tx, id) : find(tx, id);
        boolean accepted = tx.sql(ACCEPTED).with(id).withText(signal.key()).first(row -> true) != null;
        Signalled answer = flow.decide(states.getFirst(), accepted);
        if (answer == Signalled.ACCEPTED && !accepted) {
            append(tx, Map.of(id, List.of(signal.entry(tx.nowInstant()))));
        }
        return answer;
    }

    // ---- reading

    /** Reads the newest parts of histories. */
    public static Map<TaskId, History> read(Session session, Collection<History.Query> queries, @Nullable Long clock)
            throws SQLException {
        long now = Objects.requireNonNull(session.sql(NOW).withLong(clock).first(row -> row.getLong("now")));
        Map<TaskId, History> found = new LinkedHashMap<>();
        for (History.Query query : queries) {
            // First the inbox: an entry says what a line that is read later began, and never the other way round.
            List<InboxEntry> inbox = session.sql(ENTRIES)
                    .with(query.workflow())
                    .with(query.inbox())
                    .list(FlowRows::entry);
            List<HistoryLine> lines = session.sql(LINES)
                    .with(query.workflow())
                    .with(query.lines())
                    .list(FlowRows::line);
            found.put(query.workflow(), new History(lines, inbox, Instant.ofEpochMilli(now)));
        }
        return found;
    }

    private static HistoryLine line(ResultSet row) throws SQLException {
        return new HistoryLine(
                row.getInt("number"),
                HistoryLine.Kind.parse(row.getString("kind")),
                row.getString("name"),
                SqlStatement.idOrNull(row, "step"),
                row.getString("document"),
                Instant.ofEpochMilli(row.getLong("at")));
    }

    private static InboxEntry entry(ResultSet row) throws SQLException {
        String state = row.getString("state");
        return new InboxEntry(
                row.getInt("number"),
                row.getString("name"),
                SqlStatement.idOrNull(row, "step"),
                state == null ? null : TaskState.parse(state),
                row.getString("key"),
                row.getString("document"),
                row.getString("error"),
                Instant.ofEpochMilli(row.getLong("at")));
    }
}
