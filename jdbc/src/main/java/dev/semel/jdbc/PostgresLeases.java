package dev.semel.jdbc;

import dev.semel.jdbc.PostgresTurns.Candidate;
import dev.semel.task.TaskId;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Leases that tasks share which were claimed together: one row instead of one for each, as long as nothing happens to a task
 * but that it completes and its lease is extended with the others'. Whatever else happens to one, it is taken out first and
 * has a row of its own in {@code running} from then on. Only first attempts without a mutex share a lease.
 *
 * <p>Whoever ends, extends or takes out locks the lease first, and what it goes by is read by the statement that locks: so a
 * task has ended, or is out, or is still in, for all.
 */
final class PostgresLeases {

    // Running tasks of this process of which it is remembered where they are; others are searched for.
    private static final int MOST_KNOWN = 100_000;

    // Leases that one claim takes apart because they have run out; the next one goes on.
    private static final int MOST_EXPIRED = 100;

    /** What a claim writes behind {@code taken}: a lease for each lane. */
    static final String BEGIN = """
            begun AS (
              INSERT INTO semel.lease (claim, lane, first_seq, last_seq, started_at, until, open, worker, ended, tasks)
              SELECT ?, lane, min(seq), max(seq), ?, ?, count(*), ?,
                decode(repeat('00', (count(*)::integer + 7) / 8), 'hex'), array_agg(task ORDER BY seq)
              FROM taken GROUP BY lane
            )
            """;

    /** The leases that {@code t} may be in, as {@code l}: few, because what is claimed together was mostly made together. */
    static final String NEAR = " l.lane = t.lane AND l.last_seq >= t.seq AND l.first_seq <= t.seq ";

    private static final String SEARCH = """
            SELECT t.id, p.lane, p.last_seq, p.position - 1
            FROM unnest(?) AS m (task)
            CROSS JOIN LATERAL (SELECT x.id, x.lane, x.seq FROM semel.task x WHERE x.id = m.task LIMIT 1) t
            CROSS JOIN LATERAL (
              SELECT l.lane, l.last_seq, array_position(l.tasks, t.id) AS position FROM semel.lease l
              WHERE l.lane = t.lane AND l.last_seq >= t.seq AND l.first_seq <= t.seq
                AND array_position(l.tasks, t.id) IS NOT NULL
              ORDER BY l.last_seq LIMIT 1) p
            """;

    private static final String LOCK = """
            SELECT l.lane, l.last_seq, l.claim, l.started_at, l.until, l.open, l.worker, l.ended
            FROM unnest(?, ?) AS k (lane, last_seq)
            CROSS JOIN LATERAL (
              SELECT x.lane, x.last_seq, x.claim, x.started_at, x.until, x.open, x.worker, x.ended FROM semel.lease x
              WHERE x.lane = k.lane AND x.last_seq = k.last_seq LIMIT 1 FOR UPDATE) l
            """;

    private static final String SAVE = """
            UPDATE semel.lease l SET ended = m.ended, open = m.open, until = m.until
            FROM unnest(?, ?, ?, ?, ?) AS m (lane, last_seq, ended, open, until)
            WHERE l.lane = ANY (ARRAY[m.lane]) AND l.last_seq = m.last_seq
            """;

    private static final String REMOVE = """
            DELETE FROM semel.lease l USING unnest(?, ?) AS m (lane, last_seq)
            WHERE l.lane = ANY (ARRAY[m.lane]) AND l.last_seq = m.last_seq
            """;

    private static final String RUNNING = """
            INSERT INTO semel.running (task, seq, order_at, started_at, claim, lane, attempt, failures, vanished, priority,
              asked, worker)
            SELECT t.id, t.seq, m.until - t.priority * 60000::bigint, m.started_at, m.claim, t.lane, 1, 0, 0, t.priority,
              false, m.worker
            """;

    private static final String TAKE_OUT = RUNNING + """
            FROM unnest(?, ?, ?, ?, ?) AS m (task, until, started_at, claim, worker)
            CROSS JOIN LATERAL (SELECT x.id, x.seq, x.lane, x.priority FROM semel.task x WHERE x.id = m.task LIMIT 1) t
            """;

    // By lane, and not by time: otherwise every claim reads the expired leases of queues that have no worker.
    private static final String EXPIRED = """
            SELECT lane, last_seq FROM semel.lease WHERE until + 0 <= ? AND lane = ANY (?)
            ORDER BY until + 0 LIMIT ? FOR UPDATE SKIP LOCKED
            """;

    private static final String TAKE_APART = """
            WITH m AS (
              DELETE FROM semel.lease l USING unnest(?, ?) AS k (lane, last_seq)
              WHERE l.lane = ANY (ARRAY[k.lane]) AND l.last_seq = k.last_seq
              RETURNING l.until, l.started_at, l.claim, l.worker, l.tasks, l.ended
            )
            """ + RUNNING + """
            FROM m CROSS JOIN LATERAL unnest(m.tasks) WITH ORDINALITY AS u (task, n)
            CROSS JOIN LATERAL (SELECT x.id, x.seq, x.lane, x.priority FROM semel.task x WHERE x.id = u.task LIMIT 1) t
            WHERE get_bit(m.ended, (u.n - 1)::integer) = 0
            """;

    /** Which lease: its lane and the last number of its tasks, which no other has. Sorted, as locks are taken. */
    record LeaseKey(int lane, long lastSeq) implements Comparable<LeaseKey> {

        @Override
        public int compareTo(LeaseKey other) {
            int first = Integer.compare(lane, other.lane);
            return first != 0 ? first : Long.compare(lastSeq, other.lastSeq);
        }
    }

    /** Where a task is: in which lease, and the how manieth of it, from zero. */
    record Position(LeaseKey lease, int number) {}

    /** A lease that this transaction has locked. */
    static final class Locked {

        private final LeaseKey key;
        private final long claim;
        private final long startedAt;
        private final String worker;
        private final BitSet ended;
        private final int bytes;
        private long until;
        private int open;
        private boolean changed;

        Locked(LeaseKey key, long claim, long startedAt, long until, int open, String worker, byte[] ended) {
            this.key = key;
            this.claim = claim;
            this.startedAt = startedAt;
            this.until = until;
            this.open = open;
            this.worker = worker;
            this.ended = BitSet.valueOf(ended);
            this.bytes = ended.length;
        }

        int lane() {
            return key.lane();
        }

        long startedAt() {
            return startedAt;
        }

        String worker() {
            return worker;
        }

        int open() {
            return open;
        }

        boolean has(int number) {
            return !ended.get(number);
        }

        void remove(int number) {
            ended.set(number);
            open--;
            changed = true;
        }

        void extend(long newUntil) {
            until = newUntil;
            changed = true;
        }

        byte[] endedBytes() {
            byte[] all = new byte[bytes];
            byte[] some = ended.toByteArray();
            System.arraycopy(some, 0, all, 0, some.length);
            return all;
        }
    }

    private final Map<TaskId, Position> known = new ConcurrentHashMap<>();

    /** Remembers where the tasks of a claim are. */
    void remember(Collection<Candidate> together) {
        if (known.size() + together.size() > MOST_KNOWN) {
            known.clear();
        }
        Map<Integer, List<Candidate>> byLane = new HashMap<>();
        together.forEach(candidate -> byLane.computeIfAbsent(candidate.lane().id(), lane -> new ArrayList<>())
                .add(candidate));
        byLane.forEach((lane, candidates) -> {
            candidates.sort(Comparator.comparingLong(Candidate::seq));
            LeaseKey key = new LeaseKey(lane, candidates.getLast().seq());
            for (int i = 0; i < candidates.size(); i++) {
                known.put(candidates.get(i).task(), new Position(key, i));
            }
        });
    }

    /** Where a task is, or was; null if it is not known, which says nothing. Whoever asks is about to end or extend it. */
    @Nullable
    Position known(TaskId id) {
        return known.get(id);
    }

    void forget(TaskId id) {
        known.remove(id);
    }

    /** Where those of these tasks are, or were, that are in leases. */
    static Map<TaskId, Position> search(PostgresTransaction tx, Collection<TaskId> ids) throws SQLException {
        Map<TaskId, Position> found = new LinkedHashMap<>();
        tx.sql(SEARCH)
                .ids(ids)
                .list(row -> found.put(
                        PostgresStatement.id(row, 1),
                        new Position(new LeaseKey(row.getInt(2), row.getLong(3)), row.getInt(4))));
        return found;
    }

    /** Locks those of these leases that are there. */
    static Map<LeaseKey, Locked> lock(PostgresTransaction tx, Collection<LeaseKey> keys) throws SQLException {
        Set<LeaseKey> sorted = new TreeSet<>(keys);
        Map<LeaseKey, Locked> locked = new HashMap<>();
        tx.locked(PostgresLock.LEASE);
        for (Locked lease : tx.sql(LOCK)
                .ints(sorted.stream().map(LeaseKey::lane).toList())
                .longs(sorted.stream().map(LeaseKey::lastSeq).toList())
                .list(row -> new Locked(
                        new LeaseKey(row.getInt(1), row.getLong(2)),
                        row.getLong(3),
                        row.getLong(4),
                        row.getLong(5),
                        row.getInt(6),
                        row.getString(7),
                        row.getBytes(8)))) {
            locked.put(lease.key, lease);
        }
        return locked;
    }

    /** Writes down what has become of locked leases. */
    static void save(PostgresTransaction tx, Collection<Locked> leases) throws SQLException {
        List<Locked> left =
                leases.stream().filter(lease -> lease.changed && lease.open > 0).toList();
        List<Locked> empty = leases.stream().filter(lease -> lease.open == 0).toList();
        if (!left.isEmpty()) {
            keys(tx.sql(SAVE), left)
                    .bytes(left.stream().map(Locked::endedBytes).toList())
                    .ints(left.stream().map(Locked::open).toList())
                    .longs(left.stream().map(lease -> lease.until).toList())
                    .update();
        }
        if (!empty.isEmpty()) {
            keys(tx.sql(REMOVE), empty).update();
        }
    }

    private static PostgresStatement keys(PostgresStatement statement, List<Locked> leases) throws SQLException {
        return statement
                .ints(leases.stream().map(Locked::lane).toList())
                .longs(leases.stream().map(lease -> lease.key.lastSeq()).toList());
    }

    /** Takes tasks out of the leases that they share, wherever they are; tells which of them were in one. */
    static Set<TaskId> takeOut(PostgresTransaction tx, Collection<TaskId> ids) throws SQLException {
        Map<TaskId, Position> found = search(tx, ids);
        if (found.isEmpty()) {
            return Set.of();
        }
        Map<LeaseKey, Locked> locked =
                lock(tx, found.values().stream().map(Position::lease).toList());
        Map<TaskId, Locked> out = new LinkedHashMap<>();
        found.forEach((id, position) -> {
            Locked lease = locked.get(position.lease());
            if (lease != null && lease.has(position.number())) {
                lease.remove(position.number());
                out.put(id, lease);
            }
        });
        takeOut(tx, out);
        save(tx, locked.values());
        return new HashSet<>(out.keySet());
    }

    /** Gives rows of their own to tasks that were removed from locked leases. */
    static void takeOut(PostgresTransaction tx, Map<TaskId, Locked> out) throws SQLException {
        if (out.isEmpty()) {
            return;
        }
        int rows = tx.sql(TAKE_OUT)
                .ids(out.keySet())
                .longs(out.values().stream().map(lease -> lease.until).toList())
                .longs(out.values().stream().map(lease -> lease.startedAt).toList())
                .longs(out.values().stream().map(lease -> lease.claim).toList())
                .texts(out.values().stream().map(lease -> lease.worker).toList())
                .update();
        PostgresRecords.checkAdded(rows, out.size());
        tx.madeRunning(out.keySet());
    }

    /** Takes leases apart that have run out, so that their tasks can be claimed one by one. */
    static void takeExpiredApart(PostgresTransaction tx, Collection<Integer> lanes) throws SQLException {
        List<LeaseKey> keys = tx.sql(EXPIRED)
                .with(tx.now())
                .ints(lanes)
                .with(MOST_EXPIRED)
                .list(row -> new LeaseKey(row.getInt(1), row.getLong(2)));
        if (!keys.isEmpty()) {
            tx.sql(TAKE_APART)
                    .ints(keys.stream().map(LeaseKey::lane).toList())
                    .longs(keys.stream().map(LeaseKey::lastSeq).toList())
                    .update();
        }
    }
}
