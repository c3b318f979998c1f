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
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One round of a claim: of each lane a share of the due tasks, locked, in order; groups take turns, and within a group tasks
 * go by rank.
 */
final class PostgresTurns {

    // Each lane by its index, no further than its share; tasks that others are about to take are passed over. Each part
    // is
    // a subquery of its own, because a union cannot lock. Executed once for each lane, so a lock is never asked for
    // twice.
    static final String FETCH = """
            SELECT c.kind, l.lane, c.task, c.seq, c.order_at, c.mutex, c.place, c.attempt
            FROM unnest(?, ?, ?) AS l (lane, start_at, start_seq) CROSS JOIN LATERAL (
              SELECT 0 AS kind, a.* FROM (
                SELECT task, seq, order_at, mutex, ctid AS place, attempt FROM semel.ready
                WHERE lane = l.lane AND NOT suspect AND (order_at, seq) > (l.start_at, l.start_seq)
                  AND order_at <= ? AND order_at + priority * 60000::bigint <= ?
                ORDER BY order_at, seq LIMIT ? FOR UPDATE SKIP LOCKED) a
              UNION ALL
              SELECT 1, b.* FROM (
                SELECT task, seq, order_at, mutex, ctid AS place, attempt FROM semel.ready
                WHERE lane = l.lane AND suspect AND order_at <= ? AND order_at + priority * 60000::bigint <= ?
                ORDER BY order_at, seq LIMIT ? FOR UPDATE SKIP LOCKED) b
              UNION ALL
              SELECT 2, e.* FROM (
                SELECT task, seq, order_at, mutex, ctid AS place, attempt FROM semel.running
                WHERE lane = l.lane AND order_at <= ? AND order_at + priority * 60000::bigint <= ?
                ORDER BY order_at, seq LIMIT ? FOR UPDATE SKIP LOCKED) e
            ) c
            """;

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
     */
    record Candidate(
            Kind kind,
            Lane lane,
            TaskId task,
            long seq,
            long orderAt,
            @Nullable String mutex,
            String place,
            int attempt) {

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
        private int servedAt;

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

    /** Reads the share of each lane, in the order of the groups. */
    PostgresTurns(
            PostgresTransaction tx,
            Map<Group, List<Lane>> groups,
            PostgresStarts starts,
            @Nullable Long readBefore,
            int share,
            int suspects)
            throws SQLException {
        Map<Integer, Lane> lanes = new LinkedHashMap<>();
        for (Map.Entry<Group, List<Lane>> group : groups.entrySet()) {
            turns.put(group.getKey(), new Turn(group.getKey()));
            group.getValue().forEach(lane -> lanes.put(lane.id(), lane));
        }
        record Read(Lane lane, Kind kind) {}
        Map<Read, Integer> read = new HashMap<>();
        int mostSuspects = Math.min(share, suspects);
        for (Candidate candidate : fetch(tx, lanes, starts, readBefore, share, mostSuspects)) {
            Turn turn = turns.get(candidate.lane().group());
            if (turn == null) {
                throw new IllegalStateException("A claim was given a lane that it did not ask for");
            }
            turn.read.add(candidate);
            int count = read.merge(new Read(candidate.lane(), candidate.kind()), 1, Integer::sum);
            turn.mayHaveMore |= count == (candidate.suspect() ? mostSuspects : share);
        }
        turns.values().forEach(Turn::begin);
    }

    private static List<Candidate> fetch(
            PostgresTransaction tx,
            Map<Integer, Lane> lanes,
            PostgresStarts starts,
            @Nullable Long readBefore,
            int share,
            int suspects)
            throws SQLException {
        Kind[] kinds = Kind.values();
        PostgresStatement.Reader<Candidate> reader = (ResultSet row) -> new Candidate(
                kinds[row.getInt(1)],
                known(lanes.get(row.getInt(2))),
                PostgresStatement.id(row, 3),
                row.getLong(4),
                row.getLong(5),
                row.getString(6),
                row.getString(7),
                row.getInt(8));
        List<Start> from = lanes.keySet().stream().map(starts::of).toList();
        long began = System.nanoTime();
        long now = tx.now();
        List<Candidate> found = tx.sql(FETCH)
                .ints(lanes.keySet())
                .longs(from.stream().map(Start::orderAt).toList())
                .longs(from.stream().map(Start::seq).toList())
                .with(now)
                .with(now)
                .with(share)
                .with(now)
                .with(now)
                .with(suspects)
                .with(now)
                .with(now)
                .with(suspects)
                .list(reader);
        List<Integer> fromBeginning = new ArrayList<>();
        Iterator<Start> start = from.iterator();
        for (int lane : lanes.keySet()) {
            if (start.next().equals(Start.BEGINNING)) {
                fromBeginning.add(lane);
            }
        }
        starts.read(tx, fromBeginning, found, readBefore, System.nanoTime() - began);
        return found;
    }

    private static Lane known(@Nullable Lane lane) {
        if (lane == null) {
            throw new IllegalStateException("A claim was given a lane that it did not ask for");
        }
        return lane;
    }

    /**
     * Chooses by turns.
     *
     * @param served told of each group that gives a task, in the order of their last turns
     */
    List<Candidate> choose(int limit, int allowedSuspects, PostgresAllowances allowances, Consumer<Group> served) {
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
                turn.servedAt = chosen.size();
                at++;
            }
        }
        turns.values().stream()
                .filter(turn -> turn.servedAt > 0)
                .sorted(Comparator.comparingInt(turn -> turn.servedAt))
                .forEach(turn -> served.accept(turn.group));
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
