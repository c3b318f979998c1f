package dev.semel.postgresql.claim;

import dev.semel.postgresql.claim.DueTasks.Candidate;
import dev.semel.postgresql.claim.DueTasks.Kind;
import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.postgresql.table.TaskReader;
import dev.semel.postgresql.transaction.Lane;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.ClaimRequest;
import dev.semel.store.ClaimRoom;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.Task;
import dev.semel.store.Task.Progress;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Starts the attempts of the tasks that one claim has picked and locked, and looks up when the next task is due. Where nothing
 * has to be written in between, that query and the commit are sent with the last statement: each round trip wakes a sleeping
 * process, and that is most of the cost of an idle worker's claim.
 *
 * <p>All statements return the columns that {@link #claimed} reads. Each task is looked up in a subquery with a limit: a plain
 * join might read all tasks instead, if its plan was made while there were none.
 */
final class AttemptStarter {

    // Starts first attempts that share a lease in each lane.
    private static final String START_SHARED = """
            WITH taken AS (
              DELETE FROM semel.ready WHERE ctid = ANY (?) RETURNING task, seq, lane
            ), begun AS (
              INSERT INTO semel.lease (claim, lane, first_seq, last_seq, started_at, until, open, worker, ended, tasks)
              SELECT ?, lane, min(seq), max(seq), ?, ?, count(*), ?,
                decode(repeat('00', (count(*)::integer + 7) / 8), 'hex'), array_agg(task ORDER BY seq)
              FROM taken GROUP BY lane
            )
            SELECT t.id, t.lane, t.input, t.priority, t.retry, t.timeout, t.mutex, t.scope, t.key, t.run, t.lineage, t.created_at,
              t.series,
              1 AS attempt, 0 AS failures, 0 AS vanished, NULL AS error, false AS asked, NULL::bigint AS until
            FROM taken b
            CROSS JOIN LATERAL (SELECT * FROM semel.task x WHERE x.id = b.task LIMIT 1) t
            """;

    // Starts attempts that have a row of their own.
    private static final String START = """
            WITH taken AS (
              DELETE FROM semel.ready WHERE ctid = ANY (?)
              RETURNING task, seq, lane, attempt + 1 AS attempt, failures, vanished, priority, mutex, watched
            ), begun AS (
              INSERT INTO semel.running (task, seq, order_at, started_at, claim, lane, attempt, failures, vanished, priority,
                asked, worker, mutex, watched)
              SELECT task, seq, ? - priority * 60000::bigint, ?, ?, lane, attempt, failures, vanished, priority, false, ?,
                mutex, watched
              FROM taken
            )
            SELECT t.id, t.lane, t.input, t.priority, t.retry, t.timeout, t.mutex, t.scope, t.key, t.run, t.lineage, t.created_at,
              t.series,
              b.attempt, b.failures, b.vanished, e.error, false AS asked, NULL::bigint AS until
            FROM taken b
            CROSS JOIN LATERAL (SELECT * FROM semel.task x WHERE x.id = b.task LIMIT 1) t
            LEFT JOIN LATERAL (
              SELECT coalesce(a.given_up, a.error) AS error FROM semel.attempt a WHERE a.task = t.id AND a.error IS NOT NULL
              ORDER BY a.number DESC LIMIT 1) e ON b.attempt > 1
            """;

    // Starts the next attempts of tasks whose lease has expired.
    private static final String TAKE_OVER = """
            WITH vanished AS (
              INSERT INTO semel.attempt (task, number, started_at, ended_at, outcome, worker)
              SELECT task, attempt, started_at, ?, 'vanished', worker FROM semel.running WHERE task = ANY (?)
            ), begun AS (
              UPDATE semel.running SET attempt = attempt + 1, vanished = vanished + 1,
                order_at = ? - priority * 60000::bigint, started_at = ?, claim = ?, worker = ?
              WHERE task = ANY (?)
              RETURNING task, attempt, failures, vanished, asked
            )
            SELECT t.id, t.lane, t.input, t.priority, t.retry, t.timeout, t.mutex, t.scope, t.key, t.run, t.lineage, t.created_at,
              t.series,
              b.attempt, b.failures, b.vanished, e.error, b.asked, NULL::bigint AS until
            FROM begun b
            CROSS JOIN LATERAL (SELECT * FROM semel.task x WHERE x.id = b.task LIMIT 1) t
            LEFT JOIN LATERAL (
              SELECT coalesce(a.given_up, a.error) AS error FROM semel.attempt a WHERE a.task = t.id AND a.error IS NOT NULL
              ORDER BY a.number DESC LIMIT 1) e ON b.attempt > 1
            """;

    // Reads the attempts that an earlier send of the same claim has started. Rows of running are few, and a repeated
    // claim is rare, so these have no index by the number of the claim.
    private static final String READ_STARTED = """
            SELECT t.id, t.lane, t.input, t.priority, t.retry, t.timeout, t.mutex, t.scope, t.key, t.run, t.lineage, t.created_at,
              t.series,
              b.attempt, b.failures, b.vanished, e.error, b.asked, b.until
            FROM (
              SELECT task, attempt, failures, vanished, asked, order_at + priority * 60000::bigint AS until
              FROM semel.running WHERE lane = ANY (?) AND claim = ?
              UNION ALL
              SELECT u.task, 1, 0, 0, false, l.until
              FROM semel.lease l CROSS JOIN LATERAL unnest(l.tasks) WITH ORDINALITY AS u (task, n)
              WHERE l.lane = ANY (?) AND l.claim = ? AND get_bit(l.ended, (u.n - 1)::integer) = 0
            ) b
            CROSS JOIN LATERAL (SELECT * FROM semel.task x WHERE x.id = b.task LIMIT 1) t
            LEFT JOIN LATERAL (
              SELECT coalesce(a.given_up, a.error) AS error FROM semel.attempt a WHERE a.task = t.id AND a.error IS NOT NULL
              ORDER BY a.number DESC LIMIT 1) e ON b.attempt > 1
            ORDER BY t.seq
            """;

    // The first task of each lane, and those of higher priority that rank behind it but are due before it.
    private static final String NEXT_DUE = """
            SELECT l.lane, least(f.due, (
                SELECT min(order_at + priority * 60000::bigint) FROM semel.ready
                WHERE lane = l.lane AND suspect = s.suspect AND order_at < f.due)) AS due
            FROM unnest(?) AS l (lane) CROSS JOIN (VALUES (false), (true)) AS s (suspect)
            CROSS JOIN LATERAL (
              SELECT order_at + priority * 60000::bigint AS due FROM semel.ready
              WHERE lane = l.lane AND suspect = s.suspect ORDER BY order_at, seq LIMIT 1) f
            UNION ALL
            SELECT l.lane, least(f.due, (
                SELECT min(order_at + priority * 60000::bigint) FROM semel.running
                WHERE lane = l.lane AND order_at < f.due))
            FROM unnest(?) AS l (lane)
            CROSS JOIN LATERAL (
              SELECT order_at + priority * 60000::bigint AS due FROM semel.running
              WHERE lane = l.lane ORDER BY order_at, seq LIMIT 1) f
            UNION ALL
            SELECT lane, min(until) FROM semel.lease WHERE lane = ANY (?) GROUP BY lane
            """;

    /** What is sent behind the statement that starts attempts. */
    enum Then {
        /** Nothing: the transaction continues. */
        CONTINUE(""),
        /** The commit: the claim took all that it may. */
        COMMIT(";COMMIT"),
        /** The query for the next due task, and the commit. */
        NEXT_DUE_AND_COMMIT(";" + NEXT_DUE + ";COMMIT");

        private final String sql;

        Then(String sql) {
            this.sql = sql;
        }
    }

    private record Due(int lane, long at) {}

    private final Transaction tx;
    private final ClaimRequest request;
    private final List<Lane> lanes;
    private final int sharedFrom;
    private final ClaimRoom room;
    private final List<Claimed> claimed = new ArrayList<>();
    // Null until it was read.
    private @Nullable List<Due> due;
    private boolean committed;

    /**
     * Starts attempts of one claim.
     *
     * @param lanes the lanes of which the next due task is looked up
     * @param sharedFrom the least number of tasks of a lane that share a lease
     */
    AttemptStarter(Transaction tx, ClaimRequest request, List<Lane> lanes, int sharedFrom) {
        this.tx = tx;
        this.request = request;
        this.lanes = lanes;
        this.sharedFrom = sharedFrom;
        this.room = new ClaimRoom(request);
    }

    /** Returns the tasks whose attempts the claim has started. */
    List<Claimed> claimed() {
        return claimed;
    }

    /** Returns what may still be taken. */
    ClaimRoom room() {
        return room;
    }

    /** Returns how many tasks with a vanished attempt may still be taken. */
    int suspectsLeft() {
        return request.suspects()
                - (int) claimed.stream()
                        .filter(one -> one.task().progress().vanished() > 0)
                        .count();
    }

    /** Returns whether the transaction has ended with the last statement. */
    boolean isCommitted() {
        return committed;
    }

    /** Reads the attempts that an earlier send of the same claim has started. */
    void readStarted() throws SQLException {
        List<Integer> numbers = numbers();
        tx.sql(READ_STARTED)
                .ints(numbers)
                .with(request.claim())
                .ints(numbers)
                .with(request.claim())
                .results(row -> claimed.add(claimed(row, row.getLong("until"))));
    }

    /** Starts the attempts of tasks, and sends the rest with the last statement. */
    void start(List<Candidate> picked, Then then) throws SQLException {
        Set<Integer> sharingLanes = sharingLanes(picked);
        List<Candidate> shared = new ArrayList<>();
        List<String> ready = new ArrayList<>();
        List<TaskId> expired = new ArrayList<>();
        for (Candidate candidate : picked) {
            if (mayShare(candidate) && sharingLanes.contains(candidate.lane().id())) {
                shared.add(candidate);
            } else if (candidate.kind() == Kind.EXPIRED) {
                expired.add(candidate.task());
            } else {
                ready.add(candidate.place());
            }
        }
        Map<TaskId, Claimed> started = new HashMap<>();
        if (!shared.isEmpty()) {
            startShared(shared, ready.isEmpty() && expired.isEmpty() ? then : Then.CONTINUE, started);
        }
        if (!ready.isEmpty()) {
            startReady(ready, expired.isEmpty() ? then : Then.CONTINUE, started);
        }
        if (!expired.isEmpty()) {
            takeOver(expired, then, started);
        }
        if (started.size() != picked.size()) {
            throw new IllegalStateException(
                    "Expected to claim " + picked.size() + " tasks, but claimed " + started.size());
        }
        for (Candidate candidate : picked) {
            Claimed one = Objects.requireNonNull(started.get(candidate.task()));
            int priority = one.task().options().priority();
            claimed.add(new Claimed(one.task(), one.lease(), candidate.waited(priority, tx.now())));
        }
    }

    private void startShared(List<Candidate> shared, Then then, Map<TaskId, Claimed> started) throws SQLException {
        SqlStatement statement = statement(START_SHARED, then)
                .places(shared.stream().map(Candidate::place).toList())
                .with(request.claim())
                .with(tx.now())
                .with(leaseEnd())
                .withText(request.worker());
        run(statement, then, started);
    }

    private void startReady(List<String> places, Then then, Map<TaskId, Claimed> started) throws SQLException {
        SqlStatement statement = statement(START, then)
                .places(places)
                .with(leaseEnd())
                .with(tx.now())
                .with(request.claim())
                .withText(request.worker());
        run(statement, then, started);
    }

    private void takeOver(List<TaskId> expired, Then then, Map<TaskId, Claimed> started) throws SQLException {
        SqlStatement statement = statement(TAKE_OVER, then)
                .with(tx.now())
                .ids(expired)
                .with(leaseEnd())
                .with(tx.now())
                .with(request.claim())
                .withText(request.worker())
                .ids(expired);
        run(statement, then, started);
    }

    private SqlStatement statement(String sql, Then then) throws SQLException {
        return then == Then.CONTINUE ? tx.sql(sql) : tx.last(sql + then.sql);
    }

    private void run(SqlStatement statement, Then then, Map<TaskId, Claimed> started) throws SQLException {
        SqlStatement.RowReader reader = row -> {
            Claimed one = claimed(row, leaseEnd());
            started.put(one.task().id(), one);
        };
        if (then == Then.NEXT_DUE_AND_COMMIT) {
            List<Due> all = new ArrayList<>();
            bindLanes(statement).results(reader, row -> all.add(due(row)));
            due = all;
        } else {
            statement.results(reader);
        }
        committed = then != Then.CONTINUE;
    }

    private long leaseEnd() {
        return tx.after(request.lease());
    }

    /** Returns the lanes with enough tasks that may share a lease. */
    private Set<Integer> sharingLanes(List<Candidate> picked) {
        Map<Integer, Integer> counts = new HashMap<>();
        for (Candidate candidate : picked) {
            if (mayShare(candidate)) {
                counts.merge(candidate.lane().id(), 1, Integer::sum);
            }
        }
        counts.values().removeIf(count -> count < sharedFrom);
        return counts.keySet();
    }

    /** Returns whether it is a first attempt without a mutex, for which no workflow waits. */
    private static boolean mayShare(Candidate candidate) {
        return candidate.kind() == Kind.READY
                && candidate.attempt() == 0
                && candidate.mutex() == null
                && !candidate.watched();
    }

    private Claimed claimed(ResultSet row, long leaseEnd) throws SQLException {
        Progress progress = new Progress(
                TaskState.RUNNING,
                row.getInt("attempt"),
                row.getInt("failures"),
                row.getInt("vanished"),
                Instant.ofEpochMilli(leaseEnd),
                row.getBoolean("asked"),
                null,
                null,
                row.getString("error"));
        Task task = TaskReader.submitted(row, tx.session(), tx.names(), progress);
        return new Claimed(task, new Lease(task.id(), progress.attempt(), request.claim()));
    }

    /** Returns the time until a queue gives the next task, or null if none does. */
    @Nullable
    Duration nextDue(QueueAllowances allowances) throws SQLException {
        Map<String, Long> dueByQueue = new HashMap<>();
        for (Due next : due == null ? readDue(allowances.areUnlimited()) : due) {
            dueByQueue.merge(tx.lane(next.lane()).queue(), next.at(), Math::min);
        }
        Long next = null;
        for (Map.Entry<String, Long> queue : dueByQueue.entrySet()) {
            Long given = allowances.holdsBack(queue.getKey())
                    ? allowances.next(queue.getKey(), queue.getValue())
                    : queue.getValue();
            next = given != null && (next == null || given < next) ? given : next;
        }
        List<Integer> heldBack = lanes.stream()
                .filter(lane -> allowances.holdsBackStarts(lane.queue()))
                .map(Lane::id)
                .toList();
        if (!heldBack.isEmpty()) {
            for (Map.Entry<Integer, Long> woken :
                    DueTasks.nextWoken(tx, heldBack).entrySet()) {
                Long given = allowances.nextWoken(tx.lane(woken.getKey()).queue(), woken.getValue());
                next = given != null && (next == null || given < next) ? given : next;
            }
        }
        return next == null ? null : Duration.ofMillis(Math.max(0, next - tx.now()));
    }

    private List<Due> readDue(boolean last) throws SQLException {
        List<Due> all = new ArrayList<>();
        bindLanes(last ? tx.last(NEXT_DUE + ";COMMIT") : tx.sql(NEXT_DUE)).results(row -> all.add(due(row)));
        return all;
    }

    private SqlStatement bindLanes(SqlStatement statement) throws SQLException {
        List<Integer> numbers = numbers();
        return statement.ints(numbers).ints(numbers).ints(numbers);
    }

    private List<Integer> numbers() {
        return lanes.stream().map(Lane::id).toList();
    }

    private static Due due(ResultSet row) throws SQLException {
        return new Due(row.getInt("lane"), row.getLong("due"));
    }
}
