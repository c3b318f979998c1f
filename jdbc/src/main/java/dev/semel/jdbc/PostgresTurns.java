package dev.semel.jdbc;

import dev.semel.jdbc.PostgresNames.Group;
import dev.semel.jdbc.PostgresNames.Lane;
import dev.semel.jdbc.PostgresStarts.Start;
import dev.semel.task.TaskId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One round of a claim: of each lane a share of the due tasks, locked, in order; groups take turns, and within a group tasks
 * go by rank.
 */
final class PostgresTurns {

    private static final String LANES = """
            WITH s AS MATERIALIZED (
              SELECT coalesce(?, (extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS now
            ), lanes AS MATERIALIZED (
              SELECT * FROM unnest(?, ?, ?) AS l (lane, start_at, start_seq)
            """;

    // A running task that somebody asked to cancel after the vanished ones were ended is not taken: the next claim ends
    // it.
    // Each lane by its index, no further than its share; tasks that others are about to take are passed over. Each part
    // is a subquery of its own, because a union cannot lock. Executed once for each lane, so a lock is never asked for
    // twice. Tells the time also if there is nothing.
    private static final String FETCHED = """
            )
            SELECT s.now, f.* FROM s LEFT JOIN LATERAL (
              SELECT c.kind, l.lane, c.task, c.seq, c.order_at, c.mutex, c.place, c.attempt,
                CASE WHEN ? THEN (SELECT octet_length(t.input) FROM semel.task t WHERE t.id = c.task) ELSE 0 END AS bytes
              FROM lanes l CROSS JOIN LATERAL (
                SELECT 0 AS kind, a.* FROM (
                  SELECT task, seq, order_at, mutex, ctid AS place, attempt FROM semel.ready
                  WHERE lane = l.lane AND NOT suspect AND (order_at, seq) > (l.start_at, l.start_seq)
                    AND order_at <= s.now AND order_at + priority * 60000::bigint <= s.now
                  ORDER BY order_at, seq LIMIT ? FOR UPDATE SKIP LOCKED) a
                UNION ALL
                SELECT 1, b.* FROM (
                  SELECT task, seq, order_at, mutex, ctid AS place, attempt FROM semel.ready
                  WHERE lane = l.lane AND suspect AND order_at <= s.now AND order_at + priority * 60000::bigint <= s.now
                  ORDER BY order_at, seq LIMIT ? FOR UPDATE SKIP LOCKED) b
                UNION ALL
                SELECT 2, e.* FROM (
                  SELECT task, seq, order_at, mutex, ctid AS place, attempt FROM semel.running
                  WHERE lane = l.lane AND NOT asked AND order_at <= s.now AND order_at + priority * 60000::bigint <= s.now
                  ORDER BY order_at, seq LIMIT ? FOR UPDATE SKIP LOCKED) e
              ) c
            ) f ON true
            """;

    static final String FETCH = LANES + FETCHED;

    /**
     * The same, but nothing while somebody has to be ended first: whoever does that waits, and must not hold these. There are
     * no lanes then, because a condition behind the rows may be asked when they are locked.
     */
    static final String FETCH_UNLESS_ASKED =
            LANES + "WHERE (SELECT 1 FROM semel.running WHERE asked LIMIT 1) IS NULL" + FETCHED;

    /**
     * How much of which lanes is read.
     *
     * @param from the numbers of the lanes, and where each begins
     * @param share how many tasks of each
     * @param suspects how many of each that have a vanished attempt
     * @param sized whether the size of their inputs is read, which costs a look at each task
     */
    record Reading(Map<Integer, Start> from, int share, int suspects, boolean sized) {

        /** Whether nothing is passed over. */
        boolean isFromTheBeginning() {
            return from.values().stream().allMatch(Start.BEGINNING::equals);
        }

        static Reading of(Collection<Lane> lanes, PostgresStarts starts, int share, int suspects, boolean sized) {
            Map<Integer, Start> from = new LinkedHashMap<>();
            lanes.forEach(lane -> from.put(lane.id(), starts.of(lane.id())));
            return new Reading(from, share, Math.min(share, suspects), sized);
        }

        /**
         * Binds it to {@link #FETCH} or {@link #FETCH_UNLESS_ASKED}.
         *
         * @param now the time, or null for that of the database
         */
        PostgresStatement bind(PostgresStatement statement, @Nullable Long now) throws SQLException {
            return statement
                    .withLong(now)
                    .ints(from.keySet())
                    .longs(from.values().stream().map(Start::orderAt).toList())
                    .longs(from.values().stream().map(Start::seq).toList())
                    .with(sized)
                    .with(share)
                    .with(suspects)
                    .with(suspects);
        }
    }

    /** What was read, when by the clock of the database, and how long it took. */
    record Read(Reading reading, long now, List<Candidate> found, long nanos) {}

    /** Reads their rows. */
    static final class Rows {

        private static final Kind[] KINDS = Kind.values();

        private final Map<Integer, Lane> lanes = new HashMap<>();
        private final List<Candidate> found = new ArrayList<>();
        private long now;

        Rows(Collection<Lane> lanes) {
            lanes.forEach(lane -> this.lanes.put(lane.id(), lane));
        }

        void add(ResultSet row) throws SQLException {
            now = row.getLong(1);
            int kind = row.getInt(2);
            if (!row.wasNull()) {
                found.add(new Candidate(
                        KINDS[kind],
                        known(lanes.get(row.getInt(3))),
                        PostgresStatement.id(row, 4),
                        row.getLong(5),
                        row.getLong(6),
                        row.getString(7),
                        row.getString(8),
                        row.getInt(9),
                        row.getInt(10)));
            }
        }

        Read read(Reading reading, long nanos) {
            return new Read(reading, now, List.copyOf(found), nanos);
        }

        private static Lane known(@Nullable Lane lane) {
            if (lane == null) {
                throw new IllegalStateException("A claim was given a lane that it did not ask for");
            }
            return lane;
        }
    }

    /** Where a task lay. */
    enum Kind {
        READY,
        SUSPECT,
        EXPIRED
    }

    /**
     * A task that a claim may take; it is locked.
     *
     * @param place where its row lies, which stays so because it is locked
     * @param attempt the number of its newest attempt, 0 if it was never claimed
     * @param bytes those of its input, or 0 if the claim does not ask for that
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
            int bytes) {

        boolean suspect() {
            return kind != Kind.READY;
        }
    }

    private static final Comparator<Candidate> BY_RANK =
            Comparator.comparingLong(Candidate::orderAt).thenComparingLong(Candidate::seq);

    /** What one group has left to give. */
    private static final class Turn {

        private final Group group;
        private final List<Candidate> read = new ArrayList<>();
        private final Deque<Candidate> ready = new ArrayDeque<>();
        private final Deque<Candidate> suspects = new ArrayDeque<>();
        private boolean mayHaveMore;

        Turn(Group group) {
            this.group = group;
        }

        /** Puts in order what was read: lane by lane it is already. */
        void begin() {
            read.sort(BY_RANK);
            read.forEach(candidate -> (candidate.suspect() ? suspects : ready).add(candidate));
        }

        @Nullable
        Candidate next(int suspectsLeft) {
            Candidate first = ready.peek();
            Candidate suspect = suspectsLeft > 0 ? suspects.peek() : null;
            boolean takeSuspect = suspect != null && (first == null || BY_RANK.compare(suspect, first) < 0);
            return takeSuspect ? suspects.poll() : ready.poll();
        }
    }

    private final Map<Group, Turn> turns = new LinkedHashMap<>();

    /** Begins a round with what was read. */
    PostgresTurns(Collection<Group> groups, Read read) {
        groups.forEach(group -> turns.put(group, new Turn(group)));
        record Part(Lane lane, Kind kind) {}
        Map<Part, Integer> parts = new HashMap<>();
        for (Candidate candidate : read.found()) {
            Turn turn = turns.get(candidate.lane().group());
            if (turn == null) {
                throw new IllegalStateException("A claim was given a lane that it did not ask for");
            }
            turn.read.add(candidate);
            int count = parts.merge(new Part(candidate.lane(), candidate.kind()), 1, Integer::sum);
            Reading reading = read.reading();
            turn.mayHaveMore |= count == (candidate.suspect() ? reading.suspects() : reading.share());
        }
        turns.values().forEach(Turn::begin);
    }

    /** Reads lanes. */
    static Read read(PostgresTransaction tx, Collection<Lane> lanes, Reading reading) throws SQLException {
        long began = System.nanoTime();
        Rows rows = new Rows(lanes);
        reading.bind(tx.sql(FETCH), tx.now()).results(rows::add);
        return rows.read(reading, System.nanoTime() - began);
    }

    /** Chooses by turns. */
    List<Candidate> choose(int limit, int allowedSuspects, PostgresAllowances allowances) {
        List<Turn> open = new ArrayList<>(turns.values());
        List<Candidate> chosen = new ArrayList<>();
        int suspects = allowedSuspects;
        int at = 0;
        while (chosen.size() < limit && !open.isEmpty()) {
            at = at >= open.size() ? 0 : at;
            Turn turn = open.get(at);
            Candidate next = allowances.isOpen(turn.group.queue()) ? turn.next(suspects) : null;
            if (next == null) {
                open.remove(at);
            } else {
                chosen.add(next);
                allowances.take(turn.group.queue());
                suspects -= next.suspect() ? 1 : 0;
                at++;
            }
        }
        return chosen;
    }

    /** The groups that may have more than was read of them. */
    Collection<Group> withMore() {
        return turns.values().stream()
                .filter(turn -> turn.mayHaveMore)
                .map(turn -> turn.group)
                .toList();
    }
}
