package dev.semel.sqlite.table;

import dev.semel.sqlite.sql.ColumnValues;
import dev.semel.sqlite.sql.Session;
import dev.semel.sqlite.sql.SqlStatement;
import dev.semel.sqlite.sql.StoredEnums;
import dev.semel.sqlite.transaction.Transaction;
import dev.semel.store.Continuation;
import dev.semel.store.Generation;
import dev.semel.store.History;
import dev.semel.store.HistoryLine;
import dev.semel.store.InboxEntry;
import dev.semel.store.NewLine;
import dev.semel.store.Operation;
import dev.semel.store.Settlement;
import dev.semel.store.StoredFlow;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted.Signalled;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The rows of workflows: counters, history, inbox and watches. {@link StoredFlow} decides what happens to them. */
public final class FlowRows {

    private static final String FIND =
            "SELECT lines, inbox, urgent, wake_after, waited, bytes, generation FROM semel_flow WHERE task = ?";

    private static final String SAVE = """
            INSERT INTO semel_flow (task, lines, inbox, urgent, wake_after, waited, bytes, generation)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (task) DO UPDATE SET lines = excluded.lines, inbox = excluded.inbox, urgent = excluded.urgent,
              wake_after = excluded.wake_after, waited = excluded.waited, bytes = excluded.bytes,
              generation = excluded.generation
            """;

    private static final String ADD_LINE =
            "INSERT INTO semel_history (task, number, kind, name, step, at, document) VALUES (?, ?, ?, ?, ?, ?, ?)";

    private static final String ADD_ENTRY = """
            INSERT INTO semel_inbox (task, number, name, step, state, key, at, error, document)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """;

    private static final String ACCEPTED = "SELECT 1 FROM semel_inbox WHERE task = ? AND key = ?";

    // The first task of a series has no series of its own: its id is the series.
    private static final String ACCEPTED_BEFORE = """
            SELECT 1 FROM semel_task t JOIN semel_inbox i ON i.task = t.series AND i.key = ?1
            WHERE t.id = ?2 AND t.series IS NOT NULL
            UNION ALL
            SELECT 1 FROM semel_task t JOIN semel_task x ON x.series = t.series AND x.run < t.run
            JOIN semel_inbox i ON i.task = x.id AND i.key = ?1
            WHERE t.id = ?2 AND t.series IS NOT NULL
            """;

    private static final String STANDING =
            "SELECT seq, lane, state, attempt, after_id = id, due_at FROM semel_task WHERE id = ?";

    private static final String WAKE = """
            UPDATE semel_task SET state = 'pending', after_id = id, order_at = ?2 - priority * 60000, due_at = ?2
            WHERE seq = ?1
            """;

    private static final String BEGUN = """
            SELECT state, attempt > 0, after_id = x'' AND state = 'waiting' FROM semel_task
            WHERE id = ? AND (substr(retry, 1, 1) = '~' OR EXISTS (SELECT 1 FROM semel_flow WHERE task = semel_task.id))
            """;

    private static final String WATCH =
            "INSERT INTO semel_watch (step, workflow, created) VALUES (?, ?, ?) ON CONFLICT DO NOTHING";

    private static final String WATCHERS = "SELECT workflow, created FROM semel_watch WHERE step = ? ORDER BY workflow";

    private static final String UNWATCH = "DELETE FROM semel_watch WHERE step = ? AND workflow = ?";

    private static final String END_WATCHES = "DELETE FROM semel_watch WHERE step = ? RETURNING workflow";

    private static final String END = "SELECT lane, state, result, last_error FROM semel_task WHERE id = ?";

    private static final String LINES = """
            SELECT number, kind, name, step, at, document FROM semel_history WHERE task = ? AND number > ? ORDER BY number
            """;

    private static final String ENTRIES = """
            SELECT number, name, step, state, key, at, error, document FROM semel_inbox
            WHERE task = ? AND number > ? ORDER BY number
            """;

    private static final String IS_WORKFLOW = """
            SELECT 1 FROM semel_task
            WHERE id = ? AND input IS NOT NULL
              AND (substr(retry, 1, 1) = '~' OR EXISTS (SELECT 1 FROM semel_flow WHERE task = semel_task.id))
            """;

    private static final String BEGUN_GENERATION = "SELECT document FROM semel_inbox WHERE task = ? AND key = ?";

    private static final String SUPERSEDE = "DELETE FROM semel_history WHERE task = ? AND number >= ?";

    private static final String RENAME_CANCELLATION = "UPDATE semel_inbox SET key = ?3 WHERE task = ?1 AND key = ?2";

    private static final String COUNT_ENTRIES = "SELECT count(*) FROM semel_inbox WHERE task = ?";

    private static final String DELETE_ENTRY = "DELETE FROM semel_inbox WHERE task = ? AND number = ?";

    private static final String KEEP_KEY =
            "UPDATE semel_inbox SET name = ?3, document = NULL WHERE task = ?1 AND number = ?2";

    private static final String ANY = "SELECT EXISTS (SELECT 1 FROM semel_flow)";

    private static final List<String> FORGET = List.of(
            "DELETE FROM semel_flow WHERE task = ?",
            "DELETE FROM semel_history WHERE task = ?",
            "DELETE FROM semel_inbox WHERE task = ?",
            "DELETE FROM semel_watch WHERE workflow = ?");

    private FlowRows() {}

    /** The counters of a workflow; those of a new one if it has none yet. */
    public static StoredFlow find(Transaction tx, TaskId workflow) throws SQLException {
        try (ResultSet row = tx.sql(FIND).with(workflow).query()) {
            return row.next()
                    ? new StoredFlow(
                            row.getInt(1),
                            row.getInt(2),
                            row.getInt(3),
                            row.getInt(4),
                            row.getInt(5),
                            row.getLong(6),
                            row.getInt(7))
                    : StoredFlow.NEW;
        }
    }

    /** The counters by which it is decided whether a history is full. */
    public static StoredFlow forLimits(Transaction tx, TaskId workflow, int more) throws SQLException {
        StoredFlow flow = find(tx, workflow);
        if (!flow.needsCount(more)) {
            return flow;
        }
        try (ResultSet row = tx.sql(COUNT_ENTRIES).with(workflow).query()) {
            return flow.withEntries(row.next() ? row.getInt(1) : 0);
        }
    }

    public static void save(Transaction tx, TaskId workflow, StoredFlow flow) throws SQLException {
        tx.sql(SAVE)
                .with(workflow)
                .with(flow.lines())
                .with(flow.inbox())
                .with(flow.urgent())
                .with(flow.wakeAfter())
                .with(flow.waited())
                .with(flow.bytes())
                .with(flow.generation())
                .updateOne();
    }

    public static void add(Transaction tx, TaskId workflow, HistoryLine line) throws SQLException {
        tx.sql(ADD_LINE)
                .with(workflow)
                .with(line.number())
                .with(line.kind().word())
                .with(line.name())
                .with(bytes(line.task()))
                .with(ColumnValues.millis(line.at()))
                .with(line.document())
                .updateOne();
    }

    public static void watch(Transaction tx, TaskId workflow, TaskId step, boolean created) throws SQLException {
        tx.sql(WATCH).with(step).with(workflow).with(created ? 1 : 0).update();
        tx.watching();
    }

    public static void unwatch(Transaction tx, TaskId workflow, TaskId step) throws SQLException {
        tx.sql(UNWATCH).with(step).with(workflow).updateOne();
    }

    /** The workflows that watch a step, and whether each created it. */
    public static Map<TaskId, Boolean> watchers(Transaction tx, TaskId step) throws SQLException {
        Map<TaskId, Boolean> watchers = new LinkedHashMap<>();
        try (ResultSet row = tx.sql(WATCHERS).with(step).query()) {
            while (row.next()) {
                watchers.put(ColumnValues.taskId(row, 1), row.getBoolean(2));
            }
        }
        watchers.remove(step); // its successor
        return watchers;
    }

    /** Adds the end of a task to the inboxes of those that watch it. Its row says how it ended. */
    static void ended(Transaction tx, TaskId step) throws SQLException {
        InboxEntry end = end(tx, step);
        List<TaskId> watchers = new ArrayList<>();
        try (ResultSet row = tx.sql(END_WATCHES).with(step).query()) {
            while (row.next()) {
                watchers.add(ColumnValues.taskId(row, 1));
            }
        }
        watchers.remove(step); // its successor, which is woken by the end itself
        for (TaskId workflow : watchers) {
            append(tx, workflow, end);
        }
    }

    /** The entry for the end of a task that is stored. */
    private static InboxEntry end(Transaction tx, TaskId step) throws SQLException {
        try (ResultSet row = tx.sql(END).with(step).query()) {
            if (!row.next()) {
                throw new IllegalStateException("Expected step " + step + " to be stored, but it is not");
            }
            return StoredFlow.ended(
                    tx.names().lane(row.getInt(1)).type(),
                    step,
                    StoredEnums.state(row.getString(2)),
                    row.getString(3),
                    row.getString(4),
                    tx.nowInstant());
        }
    }

    /** The last error of a task, or null. */
    public static @Nullable String lastError(Transaction tx, TaskId id) throws SQLException {
        try (ResultSet row = tx.sql(END).with(id).query()) {
            return row.next() ? row.getString(4) : null;
        }
    }

    /**
     * Adds an entry to the inbox of a workflow that is stored, and wakes it if that is what it waits for. One that has ended is not woken,
     * but if it is redriven it must not wait for what has happened meanwhile.
     */
    public static void append(Transaction tx, TaskId workflow, InboxEntry entry) throws SQLException {
        long seq;
        int lane;
        TaskState state;
        int attempt;
        boolean listens;
        long dueAt;
        try (ResultSet row = tx.sql(STANDING).with(workflow).query()) {
            if (!row.next()) {
                return;
            }
            seq = row.getLong(1);
            lane = row.getInt(2);
            state = StoredEnums.state(row.getString(3));
            attempt = row.getInt(4);
            listens = row.getBoolean(5) && state == TaskState.WAITING;
            dueAt = row.getLong(6);
        }
        StoredFlow.Appended appended = find(tx, workflow).plus(entry);
        save(tx, workflow, appended.flow());
        add(tx, workflow, appended.entry());
        boolean waits = listens || (state == TaskState.PENDING && dueAt > tx.now());
        if (appended.wakes() && waits && attempt == appended.flow().waited()) {
            tx.sql(WAKE).with(seq).with(tx.now()).updateOne();
            tx.claimable(tx.names().lane(lane), tx.now());
        }
    }

    private static void add(Transaction tx, TaskId workflow, InboxEntry entry) throws SQLException {
        tx.sql(ADD_ENTRY)
                .with(workflow)
                .with(entry.number())
                .with(entry.name())
                .with(bytes(entry.step()))
                .with(entry.state() == null ? null : StoredEnums.word(entry.state()))
                .with(entry.key())
                .with(ColumnValues.millis(entry.at()))
                .with(entry.error())
                .with(entry.document())
                .updateOne();
    }

    /** Delivers a signal. */
    public static Signalled signal(Transaction tx, SubmitRequest.Signal signal) throws SQLException {
        TaskRow task = TaskRow.find(tx, signal.taskId());
        boolean accepted = isAccepted(tx, signal);
        Signalled answer = forLimits(tx, signal.taskId(), 1).decide(task == null ? null : task.state(), accepted);
        if (answer == Signalled.ACCEPTED && !accepted) {
            append(tx, signal.taskId(), signal.entry(tx.nowInstant()));
        }
        return answer;
    }

    /**
     * Requests the cancellation of a workflow that is replaced, unless it was requested before. From then on it watches itself, so that its
     * end is one that looks for those who wait for it: the new task.
     *
     * @return false if the task is no workflow that may clean up, so that it ends as any other
     */
    public static boolean requestCancellation(Transaction tx, TaskId task) throws SQLException {
        try (ResultSet row = tx.sql(BEGUN).with(task).query()) {
            if (!row.next()
                    || !StoredFlow.mayCleanUp(
                            StoredEnums.state(row.getString(1)), row.getBoolean(2), row.getBoolean(3))) {
                return false;
            }
        }
        watch(tx, task, task, false);
        appendOnce(tx, task, StoredFlow.cancellation(tx.nowInstant()));
        return true;
    }

    /** Adds the resolution of an effect to the inbox of a workflow, unless it is there. */
    public static void resolved(Transaction tx, TaskId workflow, Operation.Resolve operation) throws SQLException {
        appendOnce(tx, workflow, StoredFlow.resolved(operation, tx.nowInstant()));
    }

    /** Adds the answer to a question to the inbox of a workflow, unless it was answered before. */
    public static void answer(Transaction tx, TaskId workflow, NewLine.Answer answer) throws SQLException {
        appendOnce(tx, workflow, answer.entry(workflow, tx.nowInstant()));
    }

    private static void appendOnce(Transaction tx, TaskId workflow, InboxEntry entry) throws SQLException {
        if (!hasKey(tx, workflow, Objects.requireNonNull(entry.key()))) {
            append(tx, workflow, entry);
        }
    }

    private static boolean hasKey(Transaction tx, TaskId workflow, String key) throws SQLException {
        try (ResultSet row = tx.sql(ACCEPTED).with(workflow).with(key).query()) {
            return row.next();
        }
    }

    private static boolean isAccepted(Transaction tx, SubmitRequest.Signal signal) throws SQLException {
        try (ResultSet row =
                tx.sql(ACCEPTED).with(signal.taskId()).with(signal.key()).query()) {
            if (row.next()) {
                return true;
            }
        }
        if (!StoredFlow.isSharedByRuns(signal.key())) {
            return false;
        }
        try (ResultSet row =
                tx.sql(ACCEPTED_BEFORE).with(signal.key()).with(signal.taskId()).query()) {
            return row.next();
        }
    }

    /** Returns whether a task is a workflow whose data is stored. */
    public static boolean isWorkflow(Transaction tx, TaskId task) throws SQLException {
        try (ResultSet row = tx.sql(IS_WORKFLOW).with(task).query()) {
            return row.next();
        }
    }

    /** Returns whether a workflow that waits listens to its inbox. */
    public static boolean isListening(Transaction tx, TaskId task) throws SQLException {
        try (ResultSet row = tx.sql(STANDING).with(task).query()) {
            return row.next() && row.getBoolean(5);
        }
    }

    /** Decides about a restart. */
    public static StoredFlow.Verdict decide(Transaction tx, Operation.Restart restart) throws SQLException {
        String begun;
        try (ResultSet row = tx.sql(BEGUN_GENERATION)
                .with(restart.taskId())
                .with(Generation.key(restart.generation() + 1))
                .query()) {
            begun = row.next() ? row.getString(1) : null;
        }
        return find(tx, restart.taskId()).decide(restart, begun);
    }

    /** Begins the generation of a restart. */
    public static void restart(Transaction tx, Operation.Restart restart) throws SQLException {
        TaskId workflow = restart.taskId();
        List<HistoryLine> superseded =
                lines(tx.session().sql(LINES).with(workflow).with(Math.max(restart.from(), 1) - 1));
        StoredFlow.Appended begun = find(tx, workflow).restarted(restart, superseded, tx.nowInstant());
        tx.sql(SUPERSEDE).with(workflow).with(restart.from()).update();
        tx.sql(RENAME_CANCELLATION)
                .with(workflow)
                .with(StoredFlow.CANCEL_KEY)
                .with(StoredFlow.formerCancelKey(restart.generation()))
                .update();
        add(tx, workflow, begun.entry());
        save(tx, workflow, begun.flow());
    }

    /** Begins the generation of a workflow whose code continues as new. */
    public static void continueAsNew(Transaction tx, Settlement.Continue next) throws SQLException {
        TaskId workflow = next.lease().taskId();
        Continuation.Rest rest = Continuation.rest(
                next, entries(tx.session().sql(ENTRIES).with(workflow).with(0)));
        StoredFlow.Appended begun = find(tx, workflow).continued(next, rest, tx.nowInstant());
        tx.sql(SUPERSEDE).with(workflow).with(0).update();
        for (int number : rest.deleted()) {
            tx.sql(DELETE_ENTRY).with(workflow).with(number).updateOne();
        }
        for (int number : rest.received()) {
            tx.sql(KEEP_KEY)
                    .with(workflow)
                    .with(number)
                    .with(Continuation.RECEIVED)
                    .updateOne();
        }
        add(tx, workflow, begun.entry());
        save(tx, workflow, begun.flow());
    }

    /** Reads the newest parts of histories. */
    public static Map<TaskId, History> read(Session session, Collection<History.Query> queries, long now)
            throws SQLException {
        Map<TaskId, History> found = new LinkedHashMap<>();
        for (History.Query query : queries) {
            found.put(
                    query.workflow(),
                    new History(
                            lines(session.sql(LINES).with(query.workflow()).with(query.lines())),
                            entries(session.sql(ENTRIES).with(query.workflow()).with(query.inbox())),
                            Instant.ofEpochMilli(now)));
        }
        return found;
    }

    private static List<HistoryLine> lines(SqlStatement select) throws SQLException {
        List<HistoryLine> lines = new ArrayList<>();
        try (ResultSet row = select.query()) {
            while (row.next()) {
                lines.add(new HistoryLine(
                        row.getInt(1),
                        HistoryLine.Kind.parse(row.getString(2)),
                        row.getString(3),
                        id(row.getBytes(4)),
                        row.getString(6),
                        ColumnValues.instant(row, 5)));
            }
        }
        return lines;
    }

    private static List<InboxEntry> entries(SqlStatement select) throws SQLException {
        List<InboxEntry> entries = new ArrayList<>();
        try (ResultSet row = select.query()) {
            while (row.next()) {
                String state = row.getString(4);
                entries.add(new InboxEntry(
                        row.getInt(1),
                        row.getString(2),
                        id(row.getBytes(3)),
                        state == null ? null : StoredEnums.state(state),
                        row.getString(5),
                        row.getString(8),
                        row.getString(7),
                        ColumnValues.instant(row, 6)));
            }
        }
        return entries;
    }

    /** Whether there is any workflow: where there is none, a sweep does not pay for deleting histories. */
    public static boolean any(Transaction tx) throws SQLException {
        try (ResultSet row = tx.sql(ANY).query()) {
            return row.next() && row.getBoolean(1);
        }
    }

    /** Deletes all rows of a workflow. */
    public static void forget(Transaction tx, TaskId workflow) throws SQLException {
        for (String delete : FORGET) {
            tx.sql(delete).with(workflow).update();
        }
    }

    private static byte @Nullable [] bytes(@Nullable TaskId id) {
        return id == null ? null : ColumnValues.bytes(id);
    }

    private static @Nullable TaskId id(byte @Nullable [] bytes) {
        return bytes == null ? null : ColumnValues.taskId(bytes);
    }
}
