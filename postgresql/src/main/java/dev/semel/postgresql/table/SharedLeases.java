package dev.semel.postgresql.table;

import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.postgresql.transaction.Database;
import dev.semel.postgresql.transaction.LockKind;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import java.nio.ByteBuffer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Shared leases: tasks that were claimed together have one row instead of one each, as long as they only complete and are
 * extended together. Anything else first takes a task out, into a row of its own in {@code running}. Only first attempts
 * without a mutex share a lease.
 *
 * <p>An instance has the shared leases that one transaction has locked, and the tasks of its batch that are still in them.
 * Every transaction that ends, extends or takes out tasks locks their leases first, in order of claims, and decides by what
 * the locking statement has read. So all transactions agree whether a task has ended, was taken out, or is still in.
 *
 * <p>The lease of a worker contains the number of its claim, so a batch locks its shared leases in the round trip that begins
 * its transaction.
 */
public final class SharedLeases implements Database.Opening {

    /** The number of a first attempt: only first attempts share a lease. */
    public static final int FIRST = 1;

    // Expired leases that one claim splits; the next claim continues.
    private static final int MOST_EXPIRED = 100;

    // The form in which the server sends an array: five numbers, then the length and the bytes of each item.
    private static final int ARRAY_HEADER = 5 * Integer.BYTES;
    private static final int ARRAY_ITEM = Integer.BYTES + 2 * Long.BYTES;

    // The claims of the leases that contain tasks, for operations that have no lease of a worker.
    private static final String SEARCH = """
            SELECT p.claim
            FROM unnest(?) AS m (task)
            CROSS JOIN LATERAL (SELECT x.id, x.lane, x.seq FROM semel.task x WHERE x.id = m.task LIMIT 1) t
            CROSS JOIN LATERAL (
              SELECT l.claim FROM semel.lease l
              WHERE l.lane = t.lane AND l.last_seq >= t.seq AND l.first_seq <= t.seq
                AND array_position(l.tasks, t.id) IS NOT NULL
              ORDER BY l.last_seq LIMIT 1) p
            """;

    /**
     * Locks the leases of claims; a claim has one in each lane, rarely more. The wanted tasks are found in Java: the server
     * took five times as long to find 250 of 1,000 tasks as to return all 1,000.
     */
    public static final String LOCK = """
            SELECT l.lane, l.last_seq, l.claim, l.started_at, l.until, l.open, l.worker, l.ended, array_send(l.tasks) AS tasks
            FROM unnest(?) AS k (claim)
            CROSS JOIN LATERAL (SELECT * FROM semel.lease x WHERE x.claim = k.claim ORDER BY x.last_seq FOR UPDATE) l
            """;

    // The same without waiting: a lease that another transaction has locked is passed over.
    private static final String LOCK_FREE = """
            SELECT l.lane, l.last_seq, l.claim, l.started_at, l.until, l.open, l.worker, l.ended, array_send(l.tasks) AS tasks
            FROM unnest(?) AS k (claim)
            CROSS JOIN LATERAL (
              SELECT * FROM semel.lease x WHERE x.claim = k.claim ORDER BY x.last_seq FOR UPDATE SKIP LOCKED) l
            """;

    private static final String BEGIN_AND_LOCK = Database.BEGIN + ";" + LOCK;

    private static final String SAVE = """
            UPDATE semel.lease l SET ended = m.ended, open = m.open, until = m.until
            FROM unnest(?, ?, ?, ?, ?) AS m (lane, last_seq, ended, open, until)
            WHERE l.lane = ANY (ARRAY[m.lane]) AND l.last_seq = m.last_seq
            """;

    private static final String REMOVE = """
            DELETE FROM semel.lease l USING unnest(?, ?) AS m (lane, last_seq)
            WHERE l.lane = ANY (ARRAY[m.lane]) AND l.last_seq = m.last_seq
            """;

    // Gives tasks a row of their own.
    private static final String TAKE_OUT = """
            INSERT INTO semel.running (task, seq, order_at, started_at, claim, lane, attempt, failures, vanished, priority,
              asked, worker)
            SELECT t.id, t.seq, m.until - t.priority * 60000::bigint, m.started_at, m.claim, t.lane, 1, 0, 0, t.priority,
              false, m.worker
            FROM unnest(?, ?, ?, ?, ?) AS m (task, until, started_at, claim, worker)
            CROSS JOIN LATERAL (SELECT x.id, x.seq, x.lane, x.priority FROM semel.task x WHERE x.id = m.task LIMIT 1) t
            """;

    // By lane, and not by time: otherwise every claim reads the expired leases of queues that have no worker.
    private static final String EXPIRED = """
            SELECT lane, last_seq FROM semel.lease WHERE until + 0 <= ? AND lane = ANY (?)
            ORDER BY until + 0 LIMIT ? FOR UPDATE SKIP LOCKED
            """;

    // Deletes leases, and gives the tasks that are still in them rows of their own.
    private static final String SPLIT = """
            WITH m AS (
              DELETE FROM semel.lease l USING unnest(?, ?) AS k (lane, last_seq)
              WHERE l.lane = ANY (ARRAY[k.lane]) AND l.last_seq = k.last_seq
              RETURNING l.until, l.started_at, l.claim, l.worker, l.tasks, l.ended
            )
            INSERT INTO semel.running (task, seq, order_at, started_at, claim, lane, attempt, failures, vanished, priority,
              asked, worker)
            SELECT t.id, t.seq, m.until - t.priority * 60000::bigint, m.started_at, m.claim, t.lane, 1, 0, 0, t.priority,
              false, m.worker
            FROM m CROSS JOIN LATERAL unnest(m.tasks) WITH ORDINALITY AS u (task, n)
            CROSS JOIN LATERAL (SELECT x.id, x.seq, x.lane, x.priority FROM semel.task x WHERE x.id = u.task LIMIT 1) t
            WHERE get_bit(m.ended, (u.n - 1)::integer) = 0
            """;

    /** A shared lease that this transaction has locked. */
    public static final class Locked {

        private final long lastSeq;
        private final int lane;
        private final long claim;
        private final long startedAt;
        private final String worker;
        private final BitSet ended;
        private final int bytes;
        private long until;
        private int open;
        private boolean changed;

        private Locked(ResultSet row) throws SQLException {
            this.lane = row.getInt("lane");
            this.lastSeq = row.getLong("last_seq");
            this.claim = row.getLong("claim");
            this.startedAt = row.getLong("started_at");
            this.until = row.getLong("until");
            this.open = row.getInt("open");
            this.worker = row.getString("worker");
            byte[] bits = row.getBytes("ended");
            this.ended = BitSet.valueOf(bits);
            this.bytes = bits.length;
        }

        public int lane() {
            return lane;
        }

        public long startedAt() {
            return startedAt;
        }

        public String worker() {
            return worker;
        }

        public int open() {
            return open;
        }

        public void extend(long newUntil) {
            until = newUntil;
            changed = true;
        }

        private byte[] endedBytes() {
            byte[] all = new byte[bytes];
            byte[] some = ended.toByteArray();
            System.arraycopy(some, 0, all, 0, some.length);
            return all;
        }
    }

    /** A task that is in a locked lease, by its zero-based index. */
    private record Place(Locked lease, int number) {}

    private final SortedSet<Long> claims;
    private final Set<TaskId> ids;
    private final List<Locked> locked = new ArrayList<>();
    private final Map<TaskId, Place> places = new HashMap<>();

    /** The shared leases behind leases of workers: of first attempts, because no others share one. */
    public SharedLeases(Collection<Lease> leases) {
        this.claims = new TreeSet<>();
        this.ids = new LinkedHashSet<>();
        for (Lease lease : leases) {
            if (lease.attempt() == FIRST) {
                claims.add(lease.claim());
                ids.add(lease.taskId());
            }
        }
    }

    private SharedLeases(Collection<Long> claims, Collection<TaskId> ids) {
        this.claims = new TreeSet<>(claims);
        this.ids = new LinkedHashSet<>(ids);
    }

    @Override
    public String sql() {
        return claims.isEmpty() ? Database.PLAIN.sql() : BEGIN_AND_LOCK;
    }

    @Override
    public void run(SqlStatement begun, SqlStatement.RowReader start) throws SQLException {
        locked.clear();
        places.clear();
        if (claims.isEmpty()) {
            Database.PLAIN.run(begun, start);
        } else {
            begun.longs(claims).results(start, this::add);
        }
    }

    /** Reads a locked lease, and finds the wanted tasks that are still in it. */
    private void add(ResultSet row) throws SQLException {
        Locked lease = new Locked(row);
        locked.add(lease);
        ByteBuffer tasks = ByteBuffer.wrap(row.getBytes("tasks"));
        int count = (tasks.capacity() - ARRAY_HEADER) / ARRAY_ITEM;
        for (int n = lease.ended.nextClearBit(0); n < count; n = lease.ended.nextClearBit(n + 1)) {
            int at = ARRAY_HEADER + n * ARRAY_ITEM + Integer.BYTES;
            TaskId id = new TaskId(new UUID(tasks.getLong(at), tasks.getLong(at + Long.BYTES)));
            if (ids.contains(id)) {
                places.put(id, new Place(lease, n));
            }
        }
    }

    /** Returns the shared lease that contains the attempt of a worker's lease, if one does. */
    public Optional<Locked> sharedBy(Lease lease) {
        return lease.attempt() == FIRST
                ? Optional.ofNullable(places.get(lease.taskId())).map(Place::lease)
                : Optional.empty();
    }

    /** Removes a task, which has ended or gets a row of its own, from its lease. */
    public void remove(TaskId id) {
        Place place = places.remove(id);
        if (place == null) {
            throw new IllegalStateException("Task " + id + " is in no shared lease");
        }
        place.lease().ended.set(place.number());
        place.lease().open--;
        place.lease().changed = true;
    }

    /** Takes tasks out of their shared leases: each gets a row of its own. */
    public void takeOut(Transaction tx, Collection<TaskId> out) throws SQLException {
        Map<TaskId, Locked> from = new LinkedHashMap<>();
        for (TaskId id : out) {
            Place place = places.get(id);
            if (place != null) {
                from.put(id, place.lease());
                remove(id);
            }
        }
        if (from.isEmpty()) {
            return;
        }
        tx.sql(TAKE_OUT)
                .ids(from.keySet())
                .longs(from.values().stream().map(lease -> lease.until).toList())
                .longs(from.values().stream().map(lease -> lease.startedAt).toList())
                .longs(from.values().stream().map(lease -> lease.claim).toList())
                .texts(from.values().stream().map(lease -> lease.worker).toList())
                .updateExactly(from.size());
        tx.madeRunning(from.keySet());
    }

    /** Writes what has changed, and deletes leases that contain no task any more. */
    public void save(Transaction tx) throws SQLException {
        List<Locked> left =
                locked.stream().filter(lease -> lease.changed && lease.open > 0).toList();
        List<Locked> empty = locked.stream().filter(lease -> lease.open == 0).toList();
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

    private static SqlStatement keys(SqlStatement statement, List<Locked> leases) throws SQLException {
        return statement
                .ints(leases.stream().map(Locked::lane).toList())
                .longs(leases.stream().map(lease -> lease.lastSeq).toList());
    }

    /** Takes tasks out of shared leases, for an operation that has no lease of a worker; returns how many were in one. */
    static int searchAndTakeOut(Transaction tx, Collection<TaskId> ids) throws SQLException {
        return searchAndTakeOut(tx, ids, LOCK);
    }

    /** The same, except that tasks stay in the leases that another transaction has locked. */
    static int searchAndTakeOutFree(Transaction tx, Collection<TaskId> ids) throws SQLException {
        return searchAndTakeOut(tx, ids, LOCK_FREE);
    }

    private static int searchAndTakeOut(Transaction tx, Collection<TaskId> ids, String lock) throws SQLException {
        List<Long> claims = tx.sql(SEARCH).ids(ids).list(row -> row.getLong("claim"));
        if (claims.isEmpty()) {
            return 0;
        }
        SharedLeases leases = new SharedLeases(claims, ids);
        tx.locked(LockKind.LEASE);
        tx.sql(lock).longs(leases.claims).results(leases::add);
        int out = leases.places.size();
        leases.takeOut(tx, leases.ids);
        leases.save(tx);
        return out;
    }

    /** Splits leases that have expired, so that their tasks can be claimed one by one. */
    public static void splitExpired(Transaction tx, Collection<Integer> lanes) throws SQLException {
        List<Integer> leaseLanes = new ArrayList<>();
        List<Long> lastSeqs = new ArrayList<>();
        tx.sql(EXPIRED).with(tx.now()).ints(lanes).with(MOST_EXPIRED).results(row -> {
            leaseLanes.add(row.getInt("lane"));
            lastSeqs.add(row.getLong("last_seq"));
        });
        if (!lastSeqs.isEmpty()) {
            tx.sql(SPLIT).ints(leaseLanes).longs(lastSeqs).update();
        }
    }
}
