package dev.semel.postgresql.table;

import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.InboxEntry;
import dev.semel.store.StoredFlow;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The watches of workflows: which workflow waits for the end of which task. */
public final class WatchRows {

    private static final String WATCH = """
            INSERT INTO semel.watch (step, workflow, created)
            SELECT m.step, ?, m.created = 1 FROM unnest(?, ?) AS m (step, created) ON CONFLICT DO NOTHING
            """;

    private static final String WATCH_NEW = """
            INSERT INTO semel.watch (step, workflow, created)
            SELECT m.step, m.workflow, true FROM unnest(?, ?) AS m (step, workflow)
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

    private WatchRows() {}

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
        mark(tx, sorted.keySet());
    }

    /**
     * Watches tasks that this transaction has made, each for the workflow that created it.
     *
     * @param marked whether they were inserted as watched
     */
    public static void watchNew(Transaction tx, Map<TaskId, TaskId> workflows, boolean marked) throws SQLException {
        SortedMap<TaskId, TaskId> sorted = new TreeMap<>(workflows);
        tx.sql(WATCH_NEW).ids(sorted.keySet()).ids(sorted.values()).updateExactly(sorted.size());
        if (!marked) {
            mark(tx, sorted.keySet());
        }
    }

    /** Marks a task that this transaction has locked: its end looks for those who wait for it. */
    static void mark(Transaction tx, TaskId task) throws SQLException {
        mark(tx, List.of(task));
    }

    private static void mark(Transaction tx, Collection<TaskId> tasks) throws SQLException {
        int marked = tx.sql(MARK_READY).ids(tasks).update();
        if (marked < tasks.size()) {
            marked += tx.sql(MARK_WAITING).ids(tasks).update();
        }
        if (marked < tasks.size()) {
            marked += tx.sql(MARK_RUNNING).ids(tasks).update();
        }
        if (marked != tasks.size()) {
            throw new IllegalStateException(
                    "Expected " + tasks.size() + " locked tasks to be watched, but found " + marked);
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
}
