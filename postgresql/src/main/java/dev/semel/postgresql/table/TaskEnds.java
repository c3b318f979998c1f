package dev.semel.postgresql.table;

import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.postgresql.transaction.LockKind;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.Consequences;
import dev.semel.store.InboxEntry;
import dev.semel.store.QueueSettings;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Ends of attempts and tasks, and what follows from them: a successor starts to wait for its turn, a place or a mutex becomes
 * free, data is deleted.
 *
 * <p>Each consequence is a statement of its own behind the one that deleted the task's row: only then does it see what
 * transactions did that had locked the row before.
 */
public final class TaskEnds {

    private static final String LET_GO = """
            WITH free AS (
              DELETE FROM semel.waiting WHERE after = ANY (?)
              RETURNING task, seq, order_at, lane, attempt, failures, vanished, priority, mutex, watched
            )
            INSERT INTO semel.ready (task, seq, order_at, lane, attempt, failures, vanished, priority, suspect, mutex, watched)
            SELECT task, seq, order_at, lane, attempt, failures, vanished, priority, vanished > 0, mutex, watched FROM free
            RETURNING lane
            """;

    // One transaction at a time decides about a mutex. The lock is on a hash; mutexes with the same hash only wait for
    // each other.
    private static final String LOCK_MUTEX = "SELECT pg_advisory_xact_lock(hashtextextended(?, 7))";

    private static final String TRY_MUTEXES = """
            SELECT m.mutex FROM unnest(?) AS m (mutex) WHERE pg_try_advisory_xact_lock(hashtextextended(m.mutex, 7))
            """;

    private static final String FREE_MUTEX = """
            WITH first AS MATERIALIZED (
              SELECT task FROM semel.waiting WHERE mutex = ? AND after IS NULL
              ORDER BY order_at + priority * 60000::bigint, seq LIMIT 1 FOR UPDATE
            ), free AS (
              DELETE FROM semel.waiting WHERE task = (SELECT task FROM first)
              RETURNING task, seq, order_at, lane, attempt, failures, vanished, priority, mutex, watched
            )
            INSERT INTO semel.ready (task, seq, order_at, lane, attempt, failures, vanished, priority, suspect, mutex, watched,
              woken)
            SELECT task, seq, order_at, lane, attempt, failures, vanished, priority, vanished > 0, mutex, watched,
              (SELECT free.lane FROM semel.flow f WHERE f.task = free.task AND f.waited = free.attempt)
            FROM free
            RETURNING lane
            """;

    // With the history of workflows, of which there is none for most tasks.
    private static final String STRIP = """
            WITH flow AS (
              DELETE FROM semel.flow WHERE task = ANY (?)
            ), history AS (
              DELETE FROM semel.history WHERE task = ANY (?)
            ), inbox AS (
              DELETE FROM semel.inbox WHERE task = ANY (?)
            ), watch AS (
              DELETE FROM semel.watch WHERE workflow = ANY (?)
            )
            UPDATE semel.task SET input = NULL WHERE id = ANY (?)
            """;

    private static final String STRIP_RESULTS = "UPDATE semel.done SET bare = true, result = NULL WHERE task = ANY (?)";

    private static final String CANCEL_READY = """
            WITH place AS MATERIALIZED (
              SELECT p.ctid FROM semel.task t CROSS JOIN LATERAL (
                SELECT q.ctid FROM semel.ready q
                WHERE q.lane = t.lane AND NOT q.suspect AND q.seq = t.seq
                  AND q.order_at = coalesce(t.start_at, t.created_at) - t.priority * 60000::bigint
                LIMIT 1) p
              WHERE t.id = ?
              UNION
              SELECT ctid FROM semel.ready WHERE task = ? AND attempt > 0
            ), gone AS (
              DELETE FROM semel.ready WHERE ctid = ANY (ARRAY(SELECT ctid FROM place))
              RETURNING task, lane, attempt, failures, vanished, mutex, watched
            ), ended AS (
              INSERT INTO semel.done (task, finished_at, lane, attempt, failures, vanished, asked, bare, state)
              SELECT task, ?, lane, attempt, failures, vanished, true, false, 'cancelled' FROM gone
            )
            SELECT lane, mutex, watched FROM gone
            """;

    private static final String CANCEL_WAITING = """
            WITH gone AS (
              DELETE FROM semel.waiting WHERE task = ? AND task = ?
              RETURNING task, lane, attempt, failures, vanished, watched
            ), ended AS (
              INSERT INTO semel.done (task, finished_at, lane, attempt, failures, vanished, asked, bare, state)
              SELECT task, ?, lane, attempt, failures, vanished, true, false, 'cancelled' FROM gone
            )
            SELECT lane, NULL AS mutex, watched FROM gone
            """;

    // As a cancellation, but under the next number of its attempts, so that a redrive can name this end.
    private static final String EXPIRE_READY = """
            WITH place AS MATERIALIZED (
              SELECT p.ctid FROM semel.task t CROSS JOIN LATERAL (
                SELECT q.ctid FROM semel.ready q
                WHERE q.lane = t.lane AND NOT q.suspect AND q.seq = t.seq
                  AND q.order_at = coalesce(t.start_at, t.created_at) - t.priority * 60000::bigint
                LIMIT 1) p
              WHERE t.id = ?
              UNION
              SELECT ctid FROM semel.ready WHERE task = ? AND attempt > 0
            ), gone AS (
              DELETE FROM semel.ready WHERE ctid = ANY (ARRAY(SELECT ctid FROM place))
              RETURNING task, lane, attempt, failures, vanished, mutex, watched
            ), ended AS (
              INSERT INTO semel.done (task, finished_at, lane, attempt, failures, vanished, asked, bare, state, error)
              SELECT task, ?, lane, attempt + 1, failures, vanished, false, false, 'timed_out', ? FROM gone
            )
            SELECT lane, mutex, watched FROM gone
            """;

    private static final String EXPIRE_WAITING = """
            WITH gone AS (
              DELETE FROM semel.waiting WHERE task = ? AND task = ?
              RETURNING task, lane, attempt, failures, vanished, watched
            ), ended AS (
              INSERT INTO semel.done (task, finished_at, lane, attempt, failures, vanished, asked, bare, state, error)
              SELECT task, ?, lane, attempt + 1, failures, vanished, false, false, 'timed_out', ? FROM gone
            )
            SELECT lane, NULL AS mutex, watched FROM gone
            """;

    // Skips rows that another transaction has locked: they are about to change, and the next claim follows soon.
    private static final String END_VANISHED = """
            WITH vanished AS MATERIALIZED (
              SELECT task FROM semel.running
              WHERE asked AND order_at + priority * 60000::bigint <= ? AND (? OR lane = ANY (?))
              LIMIT ? FOR UPDATE SKIP LOCKED
            ), gone AS (
              DELETE FROM semel.running WHERE task = ANY (ARRAY(SELECT task FROM vanished))
              RETURNING task, started_at, lane, attempt, failures, vanished, asked, worker, mutex, watched, overdue
            ), ended AS (
              INSERT INTO semel.done (task, finished_at, started_at, lane, attempt, failures, vanished, asked, bare, state,
                outcome, worker, error)
              SELECT task, ?, started_at, lane, attempt, failures, vanished + 1, asked, false,
                CASE WHEN overdue IS NULL THEN 'cancelled' ELSE 'timed_out' END, 'vanished', worker, overdue FROM gone
            )
            SELECT task, lane, mutex, watched, CASE WHEN overdue IS NULL THEN 'cancelled' ELSE 'timed_out' END AS state FROM gone
            """;

    private static final String ASK = "UPDATE semel.running SET asked = true WHERE task = ?";

    private static final String STOP = "UPDATE semel.running SET asked = true, overdue = ? WHERE task = ?";

    /**
     * The end of an attempt, or of a task that did not run.
     *
     * @param before the state of the task until now
     * @param state the state of the task if it has ended, or null if it is still open
     * @param asked whether it was asked to cancel, so that a successor may wait for its end
     * @param watched whether a workflow waits for its end
     */
    public record Ended(
            TaskId id,
            int lane,
            TaskState before,
            @Nullable TaskState state,
            boolean asked,
            @Nullable String mutex,
            boolean watched) {

        /** The end of an attempt. */
        public Ended(
                TaskId id,
                int lane,
                @Nullable TaskState state,
                boolean asked,
                @Nullable String mutex,
                boolean watched) {
            this(id, lane, TaskState.RUNNING, state, asked, mutex, watched);
        }

        /** Returns what follows from it in a queue with these settings. */
        public Consequences consequences(QueueSettings settings) {
            return Consequences.of(before, state == null ? TaskState.PENDING : state, settings);
        }
    }

    private TaskEnds() {}

    /** Carries out what follows from these ends. */
    public static void follow(Transaction tx, List<Ended> all) throws SQLException {
        List<TaskId> waitedFor = new ArrayList<>();
        List<TaskId> bare = new ArrayList<>();
        List<TaskId> forgotten = new ArrayList<>();
        List<TaskId> watched = new ArrayList<>();
        TreeSet<String> mutexes = new TreeSet<>();
        boolean matter = tx.queues().endsMatter();
        for (Ended end : all) {
            Consequences then =
                    end.consequences(matter ? tx.queues().of(tx.lane(end.lane()).queue()) : QueueSettings.NONE);
            if (end.state() != null) {
                tx.news().ended(end.id());
            }
            if (end.state() == null || then.freesPlace()) {
                tx.news().due(tx.lane(end.lane()).queue());
            }
            // Only a task that was asked to cancel can have been replaced, or a workflow, which is marked as watched
            // then.
            if (then.wakesSuccessor() && (end.asked() || end.watched())) {
                waitedFor.add(end.id());
            }
            if (then.freesMutex() && end.mutex() != null) {
                mutexes.add(end.mutex());
            }
            if (end.watched() && end.state() != null) {
                watched.add(end.id());
            }
            if (then.strips()) {
                bare.add(end.id());
            }
            if (then.forgetsEffects()) {
                forgotten.add(end.id());
            }
        }
        // Before their results are deleted.
        Map<TaskId, List<InboxEntry>> entries = WatchRows.endWatches(tx, watched);
        strip(tx, bare);
        EffectLedger.forgetWith(tx, forgotten);
        lockMutexes(tx, mutexes);
        letGo(tx, waitedFor);
        for (String mutex : mutexes) {
            due(tx, tx.sql(FREE_MUTEX).withText(mutex).list(row -> laneOfWaiting(tx, row)));
        }
        entries.forEach(
                (workflow, added) -> added.forEach(entry -> FlowChanges.of(tx).append(workflow, entry)));
    }

    private static void strip(Transaction tx, List<TaskId> bare) throws SQLException {
        if (!bare.isEmpty()) {
            tx.sql(STRIP).ids(bare).ids(bare).ids(bare).ids(bare).ids(bare).update();
            tx.sql(STRIP_RESULTS).ids(bare).update();
        }
    }

    private static void letGo(Transaction tx, List<TaskId> ended) throws SQLException {
        if (!ended.isEmpty()) {
            due(tx, tx.sql(LET_GO).ids(ended).list(row -> laneOfWaiting(tx, row)));
        }
    }

    /** Makes this transaction the only one that decides about these mutexes. */
    static void lockMutexes(Transaction tx, Collection<String> mutexes) throws SQLException {
        for (String mutex : tx.unlocked(mutexes)) {
            tx.sql(LOCK_MUTEX).withText(mutex).first(row -> true);
            tx.locked(LockKind.MUTEX);
        }
    }

    /** Locks the mutexes that no other transaction has locked, and returns them: a claim must neither wait nor deadlock. */
    public static List<String> tryLockMutexes(Transaction tx, Collection<String> mutexes) throws SQLException {
        return mutexes.isEmpty()
                ? List.of()
                : tx.sql(TRY_MUTEXES).texts(mutexes).list(row -> row.getString("mutex"));
    }

    /** Makes this transaction the only one that decides about those of these mutexes that no other one has locked, and returns them. */
    static Set<String> lockFreeMutexes(Transaction tx, Collection<String> mutexes) throws SQLException {
        Set<String> free = new HashSet<>(tryLockMutexes(tx, new TreeSet<>(mutexes)));
        // They are noted, so that the ends that follow do not lock them again behind later kinds of locks.
        if (!tx.unlocked(free).isEmpty()) {
            tx.locked(LockKind.MUTEX);
        }
        return free;
    }

    private static int laneOfWaiting(Transaction tx, ResultSet row) throws SQLException {
        tx.locked(LockKind.WAITING);
        return row.getInt("lane");
    }

    private static void due(Transaction tx, List<Integer> lanes) throws SQLException {
        for (int lane : lanes) {
            tx.news().due(tx.lane(lane).queue());
        }
    }

    /** Ends a task that was pending or waiting a moment ago; returns false if it no longer is. */
    public static boolean cancel(Transaction tx, TaskId id, TaskState state) throws SQLException {
        Ended ended = tx.sql(state == TaskState.PENDING ? CANCEL_READY : CANCEL_WAITING)
                .with(id)
                .with(id)
                .with(tx.now())
                .first(row -> new Ended(
                        id,
                        row.getInt("lane"),
                        state,
                        TaskState.CANCELLED,
                        false,
                        row.getString("mutex"),
                        row.getBoolean("watched")));
        if (ended == null) {
            return false;
        }
        follow(tx, List.of(ended));
        return true;
    }

    /** Ends a locked task that is pending or waiting because a time limit has passed. What follows is left to the caller. */
    public static Ended expire(Transaction tx, TaskId id, TaskState state, String error) throws SQLException {
        Ended ended = tx.sql(state == TaskState.PENDING ? EXPIRE_READY : EXPIRE_WAITING)
                .with(id)
                .with(id)
                .with(tx.now())
                .withText(error)
                .first(row -> new Ended(
                        id,
                        row.getInt("lane"),
                        state,
                        TaskState.TIMED_OUT,
                        false,
                        row.getString("mutex"),
                        row.getBoolean("watched")));
        if (ended == null) {
            throw new IllegalStateException(
                    "Expected locked task " + id + " to be " + state.word() + ", but it is not any more");
        }
        return ended;
    }

    /** Asks a locked running task to cancel because its time limit has passed. */
    public static void stop(Transaction tx, TaskId id, String error) throws SQLException {
        tx.sql(STOP).withText(error).with(id).updateOne();
    }

    /**
     * Asks a running task, which has a row of its own, to cancel; returns false if it has none. Its end waits for this
     * transaction.
     */
    public static boolean ask(Transaction tx, TaskId id) throws SQLException {
        return tx.sql(ASK).with(id).update() == 1;
    }

    /** Ends tasks of lanes that were asked to cancel and whose lease has expired, and returns their ends. */
    public static List<Ended> endVanished(Transaction tx, Collection<Integer> lanes, int limit) throws SQLException {
        return endVanished(tx, tx.sql(END_VANISHED).with(tx.now()).with(false).ints(lanes), limit);
    }

    /** Ends tasks of all lanes that were asked to cancel and whose lease has expired, and returns their ends. */
    public static List<Ended> endVanishedInAllLanes(Transaction tx, int limit) throws SQLException {
        return endVanished(tx, tx.sql(END_VANISHED).with(tx.now()).with(true).ints(List.of()), limit);
    }

    private static List<Ended> endVanished(Transaction tx, SqlStatement bound, int limit) throws SQLException {
        List<Ended> ended = new ArrayList<>(bound.with(limit).with(tx.now()).list(TaskEnds::vanished));
        ended.sort(Comparator.comparing(Ended::id));
        follow(tx, ended);
        return ended;
    }

    private static Ended vanished(ResultSet row) throws SQLException {
        return new Ended(
                SqlStatement.id(row, "task"),
                row.getInt("lane"),
                TaskState.parse(row.getString("state")),
                true,
                row.getString("mutex"),
                row.getBoolean("watched"));
    }
}
