package dev.semel.postgresql.table;

import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.Continuation;
import dev.semel.store.Generation;
import dev.semel.store.HistoryLine;
import dev.semel.store.Operation;
import dev.semel.store.Settlement;
import dev.semel.store.StoredFlow;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.SQLException;
import java.util.List;

/** Generations of the histories of workflows. {@link StoredFlow} decides what happens. */
public final class GenerationRows {

    private static final String IS_WORKFLOW = """
            SELECT 1 FROM semel.task t WHERE t.id = ? AND t.input IS NOT NULL
              AND (left(t.retry, 1) = '~' OR (SELECT 1 FROM semel.flow f WHERE f.task = t.id LIMIT 1) = 1)
            """;

    // Whether a workflow has begun, and whether it waits for its inbox.
    private static final String STANDING = """
            SELECT coalesce(r.attempt, w.attempt, q.attempt, d.attempt, 0) > 0 AS begun, coalesce(w.after = w.task, false) AS listens
            FROM unnest(ARRAY[?::uuid]) AS k (task)
            LEFT JOIN LATERAL (SELECT x.attempt FROM semel.running x WHERE x.task = k.task LIMIT 1) r ON true
            LEFT JOIN LATERAL (SELECT x.task, x.attempt, x.after FROM semel.waiting x WHERE x.task = k.task LIMIT 1) w ON true
            LEFT JOIN LATERAL (SELECT x.attempt FROM semel.ready x WHERE x.task = k.task AND x.attempt > 0 LIMIT 1) q ON true
            LEFT JOIN LATERAL (SELECT x.attempt FROM semel.done x WHERE x.task = k.task LIMIT 1) d ON true
            """;

    private static final String BEGUN = "SELECT document FROM semel.inbox WHERE task = ? AND key = ?";

    private static final String SUPERSEDE = "DELETE FROM semel.history WHERE task = ? AND number >= ?";

    private static final String RENAME_CANCELLATION = "UPDATE semel.inbox SET key = ? WHERE task = ? AND key = ?";

    private static final String DELETE_ENTRIES = "DELETE FROM semel.inbox WHERE task = ? AND number = ANY (?)";

    private static final String KEEP_KEYS =
            "UPDATE semel.inbox SET name = ?, document = NULL WHERE task = ? AND number = ANY (?)";

    private static final String SAVE = """
            UPDATE semel.flow SET lines = ?, inbox = ?, urgent = ?, wake_after = ?, waited = ?, bytes = ?, generation = ?
            WHERE task = ?
            """;

    private static final String RUN_ENDED = """
            WITH gone AS (
              DELETE FROM semel.done WHERE task = ?
              RETURNING task, finished_at, started_at, lane, attempt, state, coalesce(outcome, state) AS outcome, worker, error
            ), kept AS (
              INSERT INTO semel.attempt (task, number, started_at, ended_at, outcome, worker, error, given_up)
              SELECT task, attempt, coalesce(started_at, finished_at), finished_at, outcome, coalesce(worker, ''), error,
                CASE WHEN state = 'timed_out' AND outcome NOT IN ('failed', 'timed_out') THEN error END
              FROM gone
              WHERE worker IS NOT NULL OR state = 'timed_out'
            ), given_up AS (
              UPDATE semel.attempt a SET given_up = g.error FROM gone g
              WHERE g.worker IS NULL AND g.state IN ('failed', 'timed_out') AND a.task = ANY (ARRAY[g.task]) AND a.number = g.attempt
            )
            INSERT INTO semel.ready (task, seq, order_at, lane, attempt, failures, vanished, priority, suspect, mutex)
            SELECT g.task, t.seq, ? - t.priority * 60000::bigint, g.lane, g.attempt, 0, 0, t.priority, false,
              CASE WHEN t.mutex IS NOT NULL THEN
                (SELECT l.tenant || chr(31) || l.type || chr(31) || t.mutex FROM semel.lane l WHERE l.id = t.lane) END
            FROM gone g CROSS JOIN LATERAL (SELECT * FROM semel.task x WHERE x.id = g.task LIMIT 1) t
            """;

    private static final String RUN_OPEN = """
            WITH inbox AS MATERIALIZED (
              SELECT w.place FROM unnest(ARRAY[?::uuid]) AS k (task)
              CROSS JOIN LATERAL (
                SELECT x.ctid AS place, x.task, x.after FROM semel.waiting x WHERE x.task = k.task LIMIT 1 FOR UPDATE) w
              WHERE w.after = w.task
            ), listening AS (
              DELETE FROM semel.waiting WHERE ctid = ANY (ARRAY(SELECT place FROM inbox))
              RETURNING task, seq, lane, attempt, priority, watched
            ), timer AS MATERIALIZED (
              SELECT r.place FROM unnest(ARRAY[?::uuid]) AS k (task)
              CROSS JOIN LATERAL (
                SELECT x.ctid AS place FROM semel.ready x WHERE x.task = k.task AND x.attempt > 0 LIMIT 1 FOR UPDATE) r
            ), sleeping AS (
              DELETE FROM semel.ready WHERE ctid = ANY (ARRAY(SELECT place FROM timer))
              RETURNING task, seq, lane, attempt, priority, watched
            )
            INSERT INTO semel.ready (task, seq, order_at, lane, attempt, failures, vanished, priority, suspect, mutex, watched)
            SELECT f.task, f.seq, ? - f.priority * 60000::bigint, f.lane, f.attempt, 0, 0, f.priority, false,
              CASE WHEN t.mutex IS NOT NULL THEN
                (SELECT l.tenant || chr(31) || l.type || chr(31) || t.mutex FROM semel.lane l WHERE l.id = t.lane) END,
              f.watched
            FROM (SELECT * FROM listening UNION ALL SELECT * FROM sleeping) f
            CROSS JOIN LATERAL (SELECT x.lane, x.mutex FROM semel.task x WHERE x.id = f.task LIMIT 1) t
            """;

    private GenerationRows() {}

    /** Returns whether a task is a workflow whose data is stored. */
    public static boolean isWorkflow(Transaction tx, TaskId task) throws SQLException {
        return tx.sql(IS_WORKFLOW).with(task).first(row -> true) != null;
    }

    /** Decides about a restart, by counters that are locked. */
    public static StoredFlow.Verdict decide(Transaction tx, StoredFlow flow, Operation.Restart restart)
            throws SQLException {
        String begun = tx.sql(BEGUN)
                .with(restart.taskId())
                .withText(Generation.key(restart.generation() + 1))
                .first(row -> row.getString("document"));
        return flow.decide(restart, begun);
    }

    /** Returns whether a workflow that is locked can be restarted. */
    public static boolean mayRestart(Transaction tx, TaskId workflow, TaskState state) throws SQLException {
        return Boolean.TRUE.equals(tx.sql(STANDING)
                .with(workflow)
                .first(row -> StoredFlow.mayRestart(state, row.getBoolean("begun"), row.getBoolean("listens"))));
    }

    /** Begins the generation of a restart. The counters are locked. */
    public static void begin(Transaction tx, StoredFlow flow, Operation.Restart restart) throws SQLException {
        TaskId workflow = restart.taskId();
        List<HistoryLine> superseded = HistoryRows.lines(tx.session(), workflow, Math.max(restart.from(), 1) - 1);
        StoredFlow.Appended begun = flow.restarted(restart, superseded, tx.nowInstant());
        StoredFlow next = begun.flow();
        tx.sql(SUPERSEDE).with(workflow).with(restart.from()).update();
        tx.sql(RENAME_CANCELLATION)
                .withText(StoredFlow.formerCancelKey(restart.generation()))
                .with(workflow)
                .withText(StoredFlow.CANCEL_KEY)
                .update();
        InboxRows.insert(tx, List.of(workflow), List.of(begun.entry()));
        save(tx, workflow, next);
    }

    private static void save(Transaction tx, TaskId workflow, StoredFlow flow) throws SQLException {
        tx.sql(SAVE)
                .with(flow.lines())
                .with(flow.inbox())
                .with(flow.urgent())
                .with(flow.wakeAfter())
                .with(flow.waited())
                .with(flow.bytes())
                .with(flow.generation())
                .with(workflow)
                .updateOne();
    }

    /** Begins the generation of a workflow whose code continues as new. The counters are locked. */
    static void continueAsNew(Transaction tx, StoredFlow flow, Settlement.Continue next) throws SQLException {
        TaskId workflow = next.lease().taskId();
        Continuation.Rest rest = Continuation.rest(next, HistoryRows.entries(tx.session(), workflow, 0));
        StoredFlow.Appended begun = flow.continued(next, rest, tx.nowInstant());
        tx.sql(SUPERSEDE).with(workflow).with(0).update();
        if (!rest.deleted().isEmpty()) {
            tx.sql(DELETE_ENTRIES)
                    .with(workflow)
                    .ints(rest.deleted())
                    .updateExactly(rest.deleted().size());
        }
        if (!rest.received().isEmpty()) {
            tx.sql(KEEP_KEYS)
                    .withText(Continuation.RECEIVED)
                    .with(workflow)
                    .ints(rest.received())
                    .updateExactly(rest.received().size());
        }
        InboxRows.insert(tx, List.of(workflow), List.of(begun.entry()));
        save(tx, workflow, begun.flow());
    }

    /** Makes a workflow due that has ended or waits, under a fresh budget; returns whether it was there. */
    public static boolean run(Transaction tx, TaskId workflow, TaskState state) throws SQLException {
        int rows = state.isOpen()
                ? tx.sql(RUN_OPEN).with(workflow).with(workflow).with(tx.now()).update()
                : tx.sql(RUN_ENDED).with(workflow).with(tx.now()).update();
        return rows == 1;
    }
}
