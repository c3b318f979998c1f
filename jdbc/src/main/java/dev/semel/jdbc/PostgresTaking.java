package dev.semel.jdbc;

import dev.semel.jdbc.PostgresNames.Lane;
import dev.semel.jdbc.PostgresTurns.Candidate;
import dev.semel.jdbc.PostgresTurns.Kind;
import dev.semel.store.ClaimRequest;
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
 * What one claim takes: begins the attempts of tasks that were chosen and are locked, and tells when the next one is due. The
 * last statement of a claim carries the question for the next due task and the commit with it, where nothing has to be written
 * in between: each round trip wakes somebody who sleeps, and that is most of what an idle worker's claim takes.
 */
final class PostgresTaking {

    // Looked up for each: a plain join may read all tasks instead, if its plan was made while there were none.
    private static final String ITS_TASK =
            " JOIN LATERAL (SELECT * FROM semel.task x WHERE x.id = b.task LIMIT 1) t ON true ";

    private static final String LAST_ERROR = """
             LEFT JOIN LATERAL (
               SELECT coalesce(a.given_up, a.error) AS error FROM semel.attempt a WHERE a.task = t.id AND a.error IS NOT NULL
               ORDER BY a.number DESC LIMIT 1) e ON b.attempt > 1
            """;

    // Those that share a lease from now on.
    private static final String TAKE_TOGETHER =
            """
            WITH taken AS (
              DELETE FROM semel.ready WHERE ctid = ANY (?) RETURNING task, seq, lane
            ),\s""" + PostgresLeases.BEGIN + "SELECT " + PostgresTasks.SUBMITTED + """
            , 1, 0, 0, NULL, false, NULL::bigint
            FROM taken b
            """ + ITS_TASK;

    private static final String TAKE = """
            WITH taken AS (
              DELETE FROM semel.ready WHERE ctid = ANY (?)
              RETURNING task, seq, lane, attempt + 1 AS attempt, failures, vanished, priority, mutex
            ), begun AS (
              INSERT INTO semel.running (task, seq, order_at, started_at, claim, lane, attempt, failures, vanished, priority,
                asked, worker, mutex)
              SELECT task, seq, ? - priority * 60000::bigint, ?, ?, lane, attempt, failures, vanished, priority, false, ?,
                mutex
              FROM taken
            )
            SELECT\s""" + PostgresTasks.SUBMITTED + """
            , b.attempt, b.failures, b.vanished, e.error, false, NULL::bigint
            FROM taken b
            """ + ITS_TASK + LAST_ERROR;

    private static final String STEAL = """
            WITH vanished AS (
              INSERT INTO semel.attempt (task, number, started_at, ended_at, outcome, worker)
              SELECT task, attempt, started_at, ?, 'vanished', worker FROM semel.running WHERE task = ANY (?)
            ), begun AS (
              UPDATE semel.running SET attempt = attempt + 1, vanished = vanished + 1,
                order_at = ? - priority * 60000::bigint, started_at = ?, claim = ?, worker = ?
              WHERE task = ANY (?)
              RETURNING task, attempt, failures, vanished, asked
            )
            SELECT\s""" + PostgresTasks.SUBMITTED + """
            , b.attempt, b.failures, b.vanished, e.error, b.asked, NULL::bigint
            FROM begun b
            """ + ITS_TASK + LAST_ERROR;

    // Running tasks are few, and a repeated claim is rare: no index by the number of the claim.
    private static final String TAKEN_BEFORE =
            "SELECT " + PostgresTasks.SUBMITTED + """
            , b.attempt, b.failures, b.vanished, e.error, b.asked, b.until
            FROM (
              SELECT task, attempt, failures, vanished, asked, order_at + priority * 60000::bigint AS until
              FROM semel.running WHERE lane = ANY (?) AND claim = ?
              UNION ALL
              SELECT u.task, 1, 0, 0, false, l.until
              FROM semel.lease l CROSS JOIN LATERAL unnest(l.tasks) WITH ORDINALITY AS u (task, n)
              WHERE l.lane = ANY (?) AND l.claim = ? AND get_bit(l.ended, (u.n - 1)::integer) = 0
            ) b
            """ + ITS_TASK + LAST_ERROR + " ORDER BY t.seq";

    // The first of each lane, and those of higher priority that rank behind it but are due before it.
    private static final String NEXT_DUE = """
            SELECT l.lane, least(f.due, (
                SELECT min(order_at + priority * 60000::bigint) FROM semel.ready
                WHERE lane = l.lane AND suspect = s.suspect AND order_at < f.due))
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

    private static final String COMMIT = ";COMMIT";
    private static final String NEXT_DUE_AND_COMMIT = ";" + NEXT_DUE + COMMIT;

    /** What comes behind the statements that take tasks. */
    enum End {
        /** More of the same transaction. */
        MORE(""),
        /** Nothing: all was taken that may be. */
        FULL(COMMIT),
        /** The question when the next task is due. */
        SHORT(NEXT_DUE_AND_COMMIT);

        private final String sql;

        End(String sql) {
            this.sql = sql;
        }
    }

    private record Due(int lane, long at) {}

    private final PostgresTransaction tx;
    private final ClaimRequest request;
    private final List<Lane> lanes;
    private final int sharedFrom;
    private final ClaimRoom room;
    private final List<Claimed> taken = new ArrayList<>();
    private final List<List<Candidate>> sharing = new ArrayList<>();
    private @Nullable List<Due> due;
    private boolean committed;

    /**
     * Begins one.
     *
     * @param lanes those of which the next due task is told
     * @param sharedFrom how many tasks of a lane share a lease at the least
     */
    PostgresTaking(PostgresTransaction tx, ClaimRequest request, List<Lane> lanes, int sharedFrom) {
        this.tx = tx;
        this.request = request;
        this.lanes = lanes;
        this.sharedFrom = sharedFrom;
        this.room = new ClaimRoom(request);
    }

    List<Claimed> taken() {
        return taken;
    }

    /** Those that share leases, each list as it was taken. */
    List<List<Candidate>> sharing() {
        return sharing;
    }

    /** What may still be taken. */
    ClaimRoom room() {
        return room;
    }

    /** How many more may be taken of those with a vanished attempt. */
    int suspectsLeft() {
        return request.suspects()
                - (int) taken.stream()
                        .filter(claimed -> claimed.task().progress().vanished() > 0)
                        .count();
    }

    /** Whether the transaction has ended with the last statement. */
    boolean isCommitted() {
        return committed;
    }

    /** Takes again what an earlier send of the same claim took. */
    void takeAgain() throws SQLException {
        List<Integer> numbers = numbers();
        tx.sql(TAKEN_BEFORE)
                .ints(numbers)
                .with(request.claim())
                .ints(numbers)
                .with(request.claim())
                .results(row -> taken.add(claimed(row, row.getLong(19))));
    }

    /** Begins the attempts of these; with the last statement goes what its end says. */
    void take(List<Candidate> chosen, End end) throws SQLException {
        Set<Integer> sharingLanes = sharingLanes(chosen);
        List<Candidate> together = new ArrayList<>();
        List<String> ready = new ArrayList<>();
        List<TaskId> expired = new ArrayList<>();
        for (Candidate candidate : chosen) {
            if (mayShare(candidate) && sharingLanes.contains(candidate.lane().id())) {
                together.add(candidate);
            } else if (candidate.kind() == Kind.EXPIRED) {
                expired.add(candidate.task());
            } else {
                ready.add(candidate.place());
            }
        }
        Map<TaskId, Claimed> begun = new HashMap<>();
        if (!together.isEmpty()) {
            takeTogether(together, ready.isEmpty() && expired.isEmpty() ? end : End.MORE, begun);
        }
        if (!ready.isEmpty()) {
            takeReady(ready, expired.isEmpty() ? end : End.MORE, begun);
        }
        if (!expired.isEmpty()) {
            steal(expired, end, begun);
        }
        if (begun.size() != chosen.size()) {
            throw new IllegalStateException(
                    "Expected to claim " + chosen.size() + " tasks, but claimed " + begun.size());
        }
        for (Candidate candidate : chosen) {
            taken.add(Objects.requireNonNull(begun.get(candidate.task())));
        }
    }

    private void takeTogether(List<Candidate> together, End end, Map<TaskId, Claimed> begun) throws SQLException {
        PostgresStatement take = statement(TAKE_TOGETHER, end)
                .places(together.stream().map(Candidate::place).toList())
                .with(request.claim())
                .with(tx.now())
                .with(leaseEnd())
                .withText(request.worker());
        run(take, end, begun);
        sharing.add(together);
    }

    private void takeReady(List<String> places, End end, Map<TaskId, Claimed> begun) throws SQLException {
        PostgresStatement take = statement(TAKE, end)
                .places(places)
                .with(leaseEnd())
                .with(tx.now())
                .with(request.claim())
                .withText(request.worker());
        run(take, end, begun);
    }

    private void steal(List<TaskId> expired, End end, Map<TaskId, Claimed> begun) throws SQLException {
        PostgresStatement steal = statement(STEAL, end)
                .with(tx.now())
                .ids(expired)
                .with(leaseEnd())
                .with(tx.now())
                .with(request.claim())
                .withText(request.worker())
                .ids(expired);
        run(steal, end, begun);
    }

    private PostgresStatement statement(String sql, End end) throws SQLException {
        return end == End.MORE ? tx.sql(sql) : tx.last(sql + end.sql);
    }

    private void run(PostgresStatement statement, End end, Map<TaskId, Claimed> begun) throws SQLException {
        PostgresStatement.RowReader reader = row -> {
            Claimed claimed = claimed(row, leaseEnd());
            begun.put(claimed.task().id(), claimed);
        };
        if (end == End.SHORT) {
            List<Due> all = new ArrayList<>();
            bindLanes(statement).results(reader, row -> all.add(due(row)));
            due = all;
        } else {
            statement.results(reader);
        }
        committed = end != End.MORE;
    }

    private long leaseEnd() {
        return tx.after(request.lease());
    }

    /** The lanes in which enough tasks are claimed that may share a lease. */
    private Set<Integer> sharingLanes(List<Candidate> chosen) {
        Map<Integer, Integer> counts = new HashMap<>();
        for (Candidate candidate : chosen) {
            if (mayShare(candidate)) {
                counts.merge(candidate.lane().id(), 1, Integer::sum);
            }
        }
        counts.values().removeIf(count -> count < sharedFrom);
        return counts.keySet();
    }

    /** Whether it is a plain first attempt. */
    private static boolean mayShare(Candidate candidate) {
        return candidate.kind() == Kind.READY && candidate.attempt() == 0 && candidate.mutex() == null;
    }

    private Claimed claimed(ResultSet row, long leaseEnd) throws SQLException {
        Progress progress = new Progress(
                TaskState.RUNNING,
                row.getInt(14),
                row.getInt(15),
                row.getInt(16),
                Instant.ofEpochMilli(leaseEnd),
                row.getBoolean(18),
                null,
                null,
                row.getString(17));
        Task task = PostgresTasks.submitted(row, tx.session(), tx.names(), progress);
        return new Claimed(task, new Lease(task.id(), progress.attempt()));
    }

    /** How long until a queue gives the next task, or null if none does. */
    @Nullable
    Duration nextDue(PostgresAllowances allowances) throws SQLException {
        Map<String, Long> dueByQueue = new HashMap<>();
        for (Due next : due == null ? askDue(allowances.areUnlimited()) : due) {
            dueByQueue.merge(tx.lane(next.lane()).queue(), next.at(), Math::min);
        }
        Long next = null;
        for (Map.Entry<String, Long> queue : dueByQueue.entrySet()) {
            Long given = allowances.holdsBack(queue.getKey())
                    ? allowances.next(queue.getKey(), queue.getValue())
                    : queue.getValue();
            next = given != null && (next == null || given < next) ? given : next;
        }
        return next == null ? null : Duration.ofMillis(Math.max(0, next - tx.now()));
    }

    private List<Due> askDue(boolean last) throws SQLException {
        List<Due> all = new ArrayList<>();
        bindLanes(last ? tx.last(NEXT_DUE + COMMIT) : tx.sql(NEXT_DUE)).results(row -> all.add(due(row)));
        return all;
    }

    private PostgresStatement bindLanes(PostgresStatement statement) throws SQLException {
        List<Integer> numbers = numbers();
        return statement.ints(numbers).ints(numbers).ints(numbers);
    }

    private List<Integer> numbers() {
        return lanes.stream().map(Lane::id).toList();
    }

    private static Due due(ResultSet row) throws SQLException {
        return new Due(row.getInt(1), row.getLong(2));
    }
}
