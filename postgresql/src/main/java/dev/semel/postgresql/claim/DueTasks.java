package dev.semel.postgresql.claim;

import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.postgresql.transaction.Group;
import dev.semel.postgresql.transaction.Lane;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The due tasks of lanes: reads and locks a share of each lane's, in their order. */
public final class DueTasks {

    /**
     * Reads each lane by its index, no further than its share, and skips tasks that another claim has locked. Each part is a
     * subquery of its own, because a union cannot lock. It is executed once for each lane, so no lock is requested twice. It
     * returns the time even if nothing is due.
     *
     * <p>With the last parameter of {@code lanes} it reads no lane while a running task was asked to cancel: the claim ends
     * such tasks first, which may wait for locks, and must not hold these rows meanwhile. The condition is on the lanes,
     * because one on the tasks might be evaluated after they are locked. A task that is asked to cancel later is not taken; the
     * next claim ends it.
     *
     * <p>Of a lane that ever had a task with a time limit, it also reads whether somebody has to look at the limits of the task. It finds that by the task, and
     * not by the time: an index by time begins with the limits that have passed, which cannot be removed while an old transaction is open.
     */
    public static final String FETCH = """
            WITH s AS MATERIALIZED (
              SELECT coalesce(?, (extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS now
            ), lanes AS MATERIALIZED (
              SELECT l.lane, l.start_at, l.start_seq, (SELECT n.limited FROM semel.lane n WHERE n.id = l.lane) AS limited
              FROM unnest(?, ?, ?) AS l (lane, start_at, start_seq)
              WHERE NOT ? OR (SELECT 1 FROM semel.running WHERE asked LIMIT 1) IS NULL
            )
            SELECT s.now, f.* FROM s LEFT JOIN LATERAL (
              SELECT c.kind, l.lane, c.task, c.seq, c.order_at, c.mutex, c.place, c.attempt, c.watched,
                CASE WHEN ? THEN (SELECT octet_length(t.input) FROM semel.task t WHERE t.id = c.task) ELSE 0 END AS bytes,
                CASE WHEN l.limited THEN coalesce((SELECT m.at FROM semel.time_limit m WHERE m.task = c.task) <= s.now, false)
                  ELSE false END AS overdue
              FROM lanes l CROSS JOIN LATERAL (
                SELECT 0 AS kind, a.* FROM (
                  SELECT task, seq, order_at, mutex, ctid AS place, attempt, watched FROM semel.ready
                  WHERE lane = l.lane AND NOT suspect AND (order_at, seq) > (l.start_at, l.start_seq)
                    AND order_at <= s.now AND order_at + priority * 60000::bigint <= s.now
                  ORDER BY order_at, seq LIMIT ? FOR UPDATE SKIP LOCKED) a
                UNION ALL
                SELECT 1, b.* FROM (
                  SELECT task, seq, order_at, mutex, ctid AS place, attempt, watched FROM semel.ready
                  WHERE lane = l.lane AND suspect AND order_at <= s.now AND order_at + priority * 60000::bigint <= s.now
                  ORDER BY order_at, seq LIMIT ? FOR UPDATE SKIP LOCKED) b
                UNION ALL
                SELECT 2, e.* FROM (
                  SELECT task, seq, order_at, mutex, ctid AS place, attempt, watched FROM semel.running
                  WHERE lane = l.lane AND NOT asked AND order_at <= s.now AND order_at + priority * 60000::bigint <= s.now
                  ORDER BY order_at, seq LIMIT ? FOR UPDATE SKIP LOCKED) e
              ) c
            ) f ON true
            """;

    /**
     * Reads the woken workflows of lanes, which use nothing of a rate limit. An index of their own finds them behind any number of tasks that
     * the limit holds back. A workflow has a start-by only, and a woken one has started: no time limit of it can pass.
     */
    private static final String FETCH_WOKEN = """
            SELECT c.kind, l.lane, c.task, c.seq, c.order_at, c.mutex, c.place, c.attempt, c.watched,
              CASE WHEN ? THEN (SELECT octet_length(t.input) FROM semel.task t WHERE t.id = c.task) ELSE 0 END AS bytes
            FROM unnest(?) AS l (lane) CROSS JOIN LATERAL (
              SELECT 0 AS kind, a.* FROM (
                SELECT task, seq, order_at, mutex, ctid AS place, attempt, watched FROM semel.ready
                WHERE woken = l.lane AND NOT suspect AND order_at <= ? AND order_at + priority * 60000::bigint <= ?
                ORDER BY order_at, seq LIMIT ? FOR UPDATE SKIP LOCKED) a
              UNION ALL
              SELECT 1, b.* FROM (
                SELECT task, seq, order_at, mutex, ctid AS place, attempt, watched FROM semel.ready
                WHERE woken = l.lane AND suspect AND order_at <= ? AND order_at + priority * 60000::bigint <= ?
                ORDER BY order_at, seq LIMIT ? FOR UPDATE SKIP LOCKED) b
            ) c
            """;

    // The first woken workflow of each lane, and those of higher priority that rank behind it but are due before it.
    private static final String NEXT_WOKEN = """
            SELECT l.lane, least(f.due, (
                SELECT min(order_at + priority * 60000::bigint) FROM semel.ready
                WHERE woken = l.lane AND suspect = s.suspect AND order_at < f.due)) AS due
            FROM unnest(?) AS l (lane) CROSS JOIN (VALUES (false), (true)) AS s (suspect)
            CROSS JOIN LATERAL (
              SELECT order_at + priority * 60000::bigint AS due FROM semel.ready
              WHERE woken = l.lane AND suspect = s.suspect ORDER BY order_at, seq LIMIT 1) f
            """;

    /** The table in which a task was found, and in which role. */
    enum Kind {
        READY,
        SUSPECT,
        EXPIRED
    }

    /**
     * A locked task that a claim may take.
     *
     * @param place the place of its row, which does not change because the row is locked
     * @param attempt the number of its newest attempt, 0 if it was never claimed
     * @param watched whether a workflow waits for its end
     * @param bytes the size of its input, or 0 if the claim did not ask for it
     * @param woken whether it is a workflow that continues after a wait and was read as such, past a rate limit
     */
    record Candidate(
            Kind kind,
            Lane lane,
            TaskId task,
            long seq,
            long orderAt,
            @Nullable String mutex,
            String place,
            int attempt,
            boolean watched,
            int bytes,
            boolean woken) {

        /** Returns whether an attempt of it has vanished. */
        boolean suspect() {
            return kind != Kind.READY;
        }

        /** Returns how long it has been due. */
        Duration waited(int priority, long now) {
            return Duration.ofMillis(now - orderAt).minus(Limits.PRIORITY_STEP.multipliedBy(priority));
        }
    }

    /** The position behind which a lane is read. */
    record Cursor(long orderAt, long seq) {

        static final Cursor BEGINNING = new Cursor(Long.MIN_VALUE, Long.MIN_VALUE);
    }

    /**
     * How much of which lanes is read.
     *
     * @param from the lanes, by their numbers, and the position at which each begins
     * @param share the number of tasks of each lane
     * @param suspects the number of tasks of each lane that have a vanished attempt
     * @param sized whether the size of their inputs is read, which costs a look-up of each task
     */
    record Reading(Map<Integer, Cursor> from, int share, int suspects, boolean sized) {

        Reading {
            suspects = Math.min(share, suspects);
        }

        /** Returns whether no lane is read from a later position. */
        boolean isFromTheBeginning() {
            return from.values().stream().allMatch(Cursor.BEGINNING::equals);
        }

        /**
         * Binds it to {@link #FETCH}.
         *
         * @param now the time, or null for the time of the database
         * @param unlessAsked whether nothing is read while a running task was asked to cancel
         */
        SqlStatement bind(SqlStatement statement, @Nullable Long now, boolean unlessAsked) throws SQLException {
            return statement
                    .withLong(now)
                    .ints(from.keySet())
                    .longs(from.values().stream().map(Cursor::orderAt).toList())
                    .longs(from.values().stream().map(Cursor::seq).toList())
                    .with(unlessAsked)
                    .with(sized)
                    .with(share)
                    .with(suspects)
                    .with(suspects);
        }
    }

    /**
     * What a statement has read, the time at the database, and how long it took.
     *
     * @param overdue tasks that were found, but must not be taken before somebody has looked at their time limits
     */
    record Read(Reading reading, long now, List<Candidate> found, List<TaskId> overdue, long nanos) {

        /**
         * Returns the groups that may have more due tasks than were read: a lane of theirs gave its whole share. Overdue tasks are no part of it: what is
         * behind them is left to the next claim, so that one claim does not read through all of them.
         */
        Set<Group> groupsWithMore() {
            record Part(Lane lane, Kind kind) {}
            Map<Part, Integer> parts = new HashMap<>();
            Set<Group> more = new HashSet<>();
            for (Candidate candidate : found) {
                int count = parts.merge(new Part(candidate.lane(), candidate.kind()), 1, Integer::sum);
                if (count == (candidate.suspect() ? reading.suspects() : reading.share())) {
                    more.add(candidate.lane().group());
                }
            }
            return more;
        }
    }

    private static final Kind[] KINDS = Kind.values();

    private final Map<Integer, Lane> lanes = new HashMap<>();
    private final List<Candidate> found = new ArrayList<>();
    private final List<TaskId> overdue = new ArrayList<>();
    private long now;

    /** Collects the rows of one execution of {@link #FETCH} on these lanes. */
    DueTasks(Collection<Lane> lanes) {
        lanes.forEach(lane -> this.lanes.put(lane.id(), lane));
    }

    /** Reads lanes with a statement of its own. */
    static Read read(Transaction tx, Collection<Lane> lanes, Reading reading) throws SQLException {
        long began = System.nanoTime();
        DueTasks tasks = new DueTasks(lanes);
        reading.bind(tx.sql(FETCH), tx.now(), false).results(tasks::add);
        return tasks.read(reading, System.nanoTime() - began);
    }

    /** Adds a row. */
    void add(ResultSet row) throws SQLException {
        now = row.getLong(1);
        int kind = row.getInt(2);
        if (row.wasNull()) {
            return;
        }
        Lane lane = lanes.get(row.getInt(3));
        if (lane == null) {
            throw new IllegalStateException("Lane " + row.getInt(3) + " was read, but not asked for");
        }
        if (row.getBoolean(12)) {
            overdue.add(SqlStatement.id(row, 4));
        } else {
            found.add(candidate(row, kind, lane));
        }
    }

    /** Reads the woken workflows of these lanes that are due, so many of each lane and so many suspects. */
    static List<Candidate> woken(Transaction tx, Collection<Lane> lanes, int share, int suspects, boolean sized)
            throws SQLException {
        return tx.sql(FETCH_WOKEN)
                .with(sized)
                .ints(lanes.stream().map(Lane::id).toList())
                .with(tx.now())
                .with(tx.now())
                .with(share)
                .with(tx.now())
                .with(tx.now())
                .with(Math.min(share, suspects))
                .list(row -> new Candidate(
                        KINDS[row.getInt("kind")],
                        tx.lane(row.getInt("lane")),
                        SqlStatement.id(row, "task"),
                        row.getLong("seq"),
                        row.getLong("order_at"),
                        row.getString("mutex"),
                        row.getString("place"),
                        row.getInt("attempt"),
                        row.getBoolean("watched"),
                        row.getInt("bytes"),
                        true));
    }

    /** Returns when the next woken workflow of each lane is due, for lanes that have one. */
    static Map<Integer, Long> nextWoken(Transaction tx, Collection<Integer> lanes) throws SQLException {
        Map<Integer, Long> next = new HashMap<>();
        tx.sql(NEXT_WOKEN).ints(lanes).results(row -> next.merge(row.getInt("lane"), row.getLong("due"), Math::min));
        return next;
    }

    private static Candidate candidate(ResultSet row, int kind, Lane lane) throws SQLException {
        return new Candidate(
                KINDS[kind],
                lane,
                SqlStatement.id(row, 4),
                row.getLong(5),
                row.getLong(6),
                row.getString(7),
                row.getString(8),
                row.getInt(9),
                row.getBoolean(10),
                row.getInt(11),
                false);
    }

    /** Returns what the rows were. */
    Read read(Reading reading, long nanos) {
        return new Read(reading, now, List.copyOf(found), List.copyOf(overdue), nanos);
    }
}
