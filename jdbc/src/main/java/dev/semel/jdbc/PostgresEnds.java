package dev.semel.jdbc;

import dev.semel.store.QueueSettings;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What follows from the end of an attempt or of a task: who waited for it goes on, a place or a mutex is free, data goes.
 *
 * <p>Each of these is a statement of its own behind the one that took the task's row away: only then does it see what those
 * did who had locked that row before.
 */
final class PostgresEnds {

    private static final String LET_GO = """
            WITH free AS (
              DELETE FROM semel.waiting WHERE after = ANY (?)
              RETURNING task, seq, order_at, lane, attempt, failures, vanished, priority, mutex
            )
            INSERT INTO semel.ready (task, seq, order_at, lane, attempt, failures, vanished, priority, suspect, mutex)
            SELECT task, seq, order_at, lane, attempt, failures, vanished, priority, vanished > 0, mutex FROM free
            RETURNING lane
            """;

    // One transaction at a time decides about a mutex. The lock is on a hash: two mutexes that share one only wait
    // more.
    private static final String LOCK_MUTEX = "SELECT pg_advisory_xact_lock(hashtextextended(?, 7))";

    private static final String TRY_MUTEXES =
            "SELECT m FROM unnest(?) AS m WHERE pg_try_advisory_xact_lock(hashtextextended(m, 7))";

    private static final String FREE_MUTEX = """
            WITH first AS MATERIALIZED (
              SELECT task FROM semel.waiting WHERE mutex = ? AND after IS NULL
              ORDER BY order_at + priority * 60000::bigint, seq LIMIT 1 FOR UPDATE
            ), free AS (
              DELETE FROM semel.waiting WHERE task = (SELECT task FROM first)
              RETURNING task, seq, order_at, lane, attempt, failures, vanished, priority, mutex
            )
            INSERT INTO semel.ready (task, seq, order_at, lane, attempt, failures, vanished, priority, suspect, mutex)
            SELECT task, seq, order_at, lane, attempt, failures, vanished, priority, vanished > 0, mutex FROM free
            RETURNING lane
            """;

    private static final String STRIP = "UPDATE semel.task SET input = NULL WHERE id = ANY (?)";

    private static final String STRIP_RESULTS = "UPDATE semel.done SET bare = true, result = NULL WHERE task = ANY (?)";

    private static final String CANCEL_READY = """
            WITH place AS MATERIALIZED (
              SELECT p.ctid FROM semel.task t CROSS JOIN LATERAL (
                SELECT q.ctid FROM semel.ready q WHERE\s""" + PostgresTasks.FIRST_PLACE + """
                LIMIT 1) p
              WHERE t.id = ?
              UNION
              SELECT ctid FROM semel.ready WHERE task = ? AND attempt > 0
            ), gone AS (
              DELETE FROM semel.ready WHERE ctid = ANY (ARRAY(SELECT ctid FROM place))
              RETURNING task, lane, attempt, failures, vanished, mutex
            ), ended AS (
              INSERT INTO semel.done (task, finished_at, lane, attempt, failures, vanished, asked, bare, state)
              SELECT task, ?, lane, attempt, failures, vanished, true, false, 'cancelled' FROM gone
            )
            SELECT lane, mutex FROM gone
            """;

    private static final String CANCEL_WAITING = """
            WITH gone AS (
              DELETE FROM semel.waiting WHERE task = ? AND task = ? RETURNING task, lane, attempt, failures, vanished
            ), ended AS (
              INSERT INTO semel.done (task, finished_at, lane, attempt, failures, vanished, asked, bare, state)
              SELECT task, ?, lane, attempt, failures, vanished, true, false, 'cancelled' FROM gone
            )
            SELECT lane, NULL FROM gone
            """;

    // Skips rows that somebody else has locked: they are about to change, and the next claim comes soon.
    private static final String END_VANISHED = """
            WITH vanished AS MATERIALIZED (
              SELECT task FROM semel.running
              WHERE asked AND order_at + priority * 60000::bigint <= ? AND (? OR lane = ANY (?))
              LIMIT ? FOR UPDATE SKIP LOCKED
            ), gone AS (
              DELETE FROM semel.running WHERE task = ANY (ARRAY(SELECT task FROM vanished))
              RETURNING task, started_at, lane, attempt, failures, vanished, asked, worker, mutex
            ), ended AS (
              INSERT INTO semel.done (task, finished_at, started_at, lane, attempt, failures, vanished, asked, bare, state,
                outcome, worker)
              SELECT task, ?, started_at, lane, attempt, failures, vanished + 1, asked, false, 'cancelled', 'vanished',
                worker FROM gone
            )
            SELECT task, lane, mutex FROM gone
            """;

    private static final String ASK = "UPDATE semel.running SET asked = true WHERE task = ?";

    /**
     * The end of an attempt, or of a task that did not run.
     *
     * @param state the state of the task if it has ended, or null if it is pending again
     * @param asked whether somebody wanted it to be cancelled, so that another one may wait for its end
     */
    record Ended(
            TaskId id,
            int lane,
            @Nullable TaskState state,
            boolean asked,
            @Nullable String mutex) {}

    private PostgresEnds() {}

    /** Does what follows from these ends. */
    static void follow(PostgresTransaction tx, List<Ended> all) throws SQLException {
        List<TaskId> waitedFor = new ArrayList<>();
        List<TaskId> bare = new ArrayList<>();
        List<TaskId> forgotten = new ArrayList<>();
        TreeSet<String> mutexes = new TreeSet<>();
        boolean matter = tx.queues().endsMatter();
        for (Ended end : all) {
            TaskState state = end.state();
            if (state != null) {
                tx.news().ended(end.id());
                if (end.asked()) {
                    waitedFor.add(end.id());
                }
            } else {
                tx.news().due(tx.lane(end.lane()).queue());
            }
            if (end.mutex() != null) {
                mutexes.add(end.mutex()); // held, or about to be taken: one that waits for it may go now
            }
            if (matter) {
                String queue = tx.lane(end.lane()).queue();
                QueueSettings settings = tx.queues().of(queue);
                if (settings.keepsNothing() && state != null && !state.isDead()) {
                    bare.add(end.id());
                    if (state == TaskState.COMPLETED) {
                        forgotten.add(end.id());
                    }
                }
                if (settings.isLimited()) {
                    tx.news().due(queue); // a place is free
                }
            }
        }
        strip(tx, bare);
        PostgresEffects.forgetWith(tx, forgotten);
        lockMutexes(tx, mutexes);
        letGo(tx, waitedFor);
        for (String mutex : mutexes) {
            due(tx, tx.sql(FREE_MUTEX).withText(mutex).list(row -> laneOfWaiting(tx, row)));
        }
    }

    private static void strip(PostgresTransaction tx, List<TaskId> bare) throws SQLException {
        if (!bare.isEmpty()) {
            tx.sql(STRIP).ids(bare).update();
            tx.sql(STRIP_RESULTS).ids(bare).update();
        }
    }

    private static void letGo(PostgresTransaction tx, List<TaskId> ended) throws SQLException {
        if (!ended.isEmpty()) {
            due(tx, tx.sql(LET_GO).ids(ended).list(row -> laneOfWaiting(tx, row)));
        }
    }

    /** Makes this transaction the only one that decides about these mutexes. */
    static void lockMutexes(PostgresTransaction tx, Collection<String> mutexes) throws SQLException {
        for (String mutex : tx.unlocked(mutexes)) {
            tx.sql(LOCK_MUTEX).withText(mutex).first(row -> true);
            tx.locked(PostgresLock.MUTEX);
        }
    }

    /** The same for those that nobody else decides about at this moment: a claim need not wait, and must not deadlock. */
    static List<String> tryLockMutexes(PostgresTransaction tx, Collection<String> mutexes) throws SQLException {
        return mutexes.isEmpty()
                ? List.of()
                : tx.sql(TRY_MUTEXES).texts(mutexes).list(row -> row.getString(1));
    }

    private static int laneOfWaiting(PostgresTransaction tx, ResultSet row) throws SQLException {
        tx.locked(PostgresLock.WAITING);
        return row.getInt(1);
    }

    private static void due(PostgresTransaction tx, List<Integer> lanes) throws SQLException {
        for (int lane : lanes) {
            tx.news().due(tx.lane(lane).queue());
        }
    }

    /** Ends a task that was pending or waiting a moment ago; false if it is that no more. */
    static boolean cancel(PostgresTransaction tx, TaskId id, TaskState state) throws SQLException {
        Ended ended = tx.sql(state == TaskState.PENDING ? CANCEL_READY : CANCEL_WAITING)
                .with(id)
                .with(id)
                .with(tx.now())
                .first(row -> new Ended(id, row.getInt(1), TaskState.CANCELLED, false, row.getString(2)));
        if (ended == null) {
            return false;
        }
        follow(tx, List.of(ended));
        return true;
    }

    /** Asks a running task, which has a row of its own, to cancel; false if it has none. Its end waits for this transaction. */
    static boolean ask(PostgresTransaction tx, TaskId id) throws SQLException {
        return tx.sql(ASK).with(id).update() == 1;
    }

    /**
     * Ends tasks that were asked to cancel and whose lease has run out.
     *
     * @param lanes in which lanes; null for all
     */
    static void endVanished(PostgresTransaction tx, @Nullable Collection<Integer> lanes, int limit)
            throws SQLException {
        List<Ended> ended = tx.sql(END_VANISHED)
                .with(tx.now())
                .with(lanes == null)
                .ints(lanes == null ? List.of() : lanes)
                .with(limit)
                .with(tx.now())
                .list(PostgresEnds::vanished);
        follow(tx, ended);
    }

    private static Ended vanished(ResultSet row) throws SQLException {
        return new Ended(PostgresStatement.id(row, 1), row.getInt(2), TaskState.CANCELLED, true, row.getString(3));
    }
}
