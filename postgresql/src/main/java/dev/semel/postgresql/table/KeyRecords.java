package dev.semel.postgresql.table;

import dev.semel.postgresql.sql.BinaryCopy;
import dev.semel.postgresql.sql.ErrorTranslator;
import dev.semel.postgresql.sql.Race;
import dev.semel.postgresql.sql.Session;
import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.postgresql.transaction.LockKind;
import dev.semel.postgresql.transaction.RecordKey;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.Submitted;
import dev.semel.task.InputHash;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The idempotency records. A record is not written when its task ends: together with the row of the task's end it is all that a
 * decision needs. A transaction that changes the owner of a key locks the record first, and reads what it decides by after that.
 */
public final class KeyRecords {

    /**
     * A record and the state of its task.
     *
     * @param series the series that the next run belongs to
     * @param stored whether the task has a row
     */
    public record Found(
            TaskId taskId,
            int lane,
            InputHash inputHash,
            int run,
            TaskId series,
            @Nullable TaskId lineage,
            long createdAt,
            long expiresAt,
            TaskState state,
            @Nullable Instant finishedAt,
            boolean stored,
            boolean dataGone,
            @Nullable String result,
            long duplicates,
            @Nullable Instant lastDuplicateAt) {

        public boolean windowPassed(long now) {
            return now >= expiresAt;
        }

        public TaskId lineageOrOwn() {
            return lineage == null ? taskId : lineage;
        }

        /** The answer to the submission that made this task, if it is sent again. */
        public Submitted created() {
            return new Submitted.Created(taskId, run, state, Instant.ofEpochMilli(createdAt));
        }
    }

    /**
     * The next owner of a key.
     *
     * @param series the series that the next run belongs to
     */
    public record Holder(
            TaskId taskId,
            int lane,
            InputHash inputHash,
            int run,
            TaskId series,
            @Nullable TaskId lineage,
            long createdAt,
            long expiresAt) {

        private Found inState(TaskState state) {
            return new Found(
                    taskId, lane, inputHash, run, series, lineage, createdAt, expiresAt, state, null, true, false, null,
                    0, null);
        }
    }

    /**
     * A record that this transaction has locked, and the state of its task as read under the lock. To give a key to another task,
     * or to take it away, needs one, and only this class creates them: so nothing is decided by what was read before the lock.
     */
    public static final class Locked {

        private final RecordKey key;
        private final Found found;

        private Locked(RecordKey key, Found found) {
            this.key = key;
            this.found = found;
        }

        public RecordKey key() {
            return key;
        }

        public Found found() {
            return found;
        }
    }

    /** How many columns {@link #found} reads, from the first on. */
    public static final int FOUND_COLUMNS = 15;

    // The record, its task, and the state of that, in one state of the database. A tombstone has all of it itself. Each
    // part is looked up for each key: a plain join may read all records instead, if its plan was made while there were
    // none.
    public static final String PROBE = """
            SELECT r.task, coalesce(t.lane, r.lane) AS lane, coalesce(t.input_hash, r.input_hash) AS input_hash,
              coalesce(t.run, r.run) AS run, coalesce(r.series, t.series, r.task) AS series,
              coalesce(t.lineage, r.lineage) AS lineage, coalesce(t.created_at, r.created_at) AS created_at, r.expires_at,
              CASE WHEN d.task IS NOT NULL THEN d.state
                WHEN r.state IS NOT NULL THEN r.state
                WHEN (SELECT 1 FROM semel.ready q WHERE q.lane = t.lane AND NOT q.suspect AND q.seq = t.seq
                    AND q.order_at = coalesce(t.start_at, t.created_at) - t.priority * 60000::bigint LIMIT 1) = 1
                  OR (SELECT 1 FROM semel.ready m WHERE m.task = t.id AND m.attempt > 0 LIMIT 1) = 1 THEN 'pending'
                WHEN (SELECT 1 FROM semel.waiting w WHERE w.task = t.id LIMIT 1) = 1 THEN 'waiting'
                ELSE 'running' END AS state,
              coalesce(d.finished_at, r.finished_at) AS finished_at, r.state IS NULL AS stored,
              r.state IS NOT NULL OR coalesce(d.bare, false) AS data_gone, d.result,
              coalesce(r.duplicates, 0) AS duplicates, r.last_duplicate_at,
              r.scope, r.key
            FROM unnest(?, ?) AS p (scope, key)
            CROSS JOIN LATERAL (SELECT * FROM semel.record x WHERE x.scope = p.scope AND x.key = p.key LIMIT 1) r
            LEFT JOIN LATERAL (SELECT * FROM semel.task x WHERE x.id = r.task AND r.state IS NULL LIMIT 1) t ON true
            LEFT JOIN LATERAL (SELECT * FROM semel.done x WHERE x.task = r.task LIMIT 1) d ON true
            """;

    // Waits for transactions that have locked one of them, but not for those that add one.
    private static final String LOCK = """
            SELECT r.scope, r.key FROM unnest(?, ?) AS p (scope, key)
            CROSS JOIN LATERAL (
              SELECT x.scope, x.key FROM semel.record x WHERE x.scope = p.scope AND x.key = p.key LIMIT 1 FOR UPDATE) r
            """;

    private static final String LOCK_FREE = """
            SELECT r.scope, r.key FROM unnest(?, ?) AS p (scope, key)
            CROSS JOIN LATERAL (
              SELECT x.scope, x.key FROM semel.record x
              WHERE x.scope = p.scope AND x.key = p.key LIMIT 1 FOR UPDATE SKIP LOCKED) r
            """;

    // Without the conflict clause, many callers with one key would leave as many errors in the server's log.
    private static final String ADD = """
            INSERT INTO semel.record (scope, key, task, expires_at, series) SELECT * FROM unnest(?, ?, ?, ?, ?)
            ON CONFLICT (scope, key) DO NOTHING
            """;

    private static final String COPY =
            "COPY semel.record (scope, key, task, expires_at, series) FROM STDIN (FORMAT binary)";

    private static final int COPY_COLUMNS = 5;

    private static final String TAKE_OVER = """
            UPDATE semel.record SET task = ?, expires_at = ?, series = ?, state = NULL, finished_at = NULL, lane = NULL,
              input_hash = NULL, run = NULL, lineage = NULL, created_at = NULL, duplicates = NULL, last_duplicate_at = NULL
            WHERE scope = ? AND key = ? AND task = ?
            """;

    private static final String ADD_FORMER = """
            INSERT INTO semel.former (scope, key, task) SELECT ?, ?, id FROM semel.task WHERE id = ?
            ON CONFLICT DO NOTHING
            """;

    private static final String REMOVE_FORMER = "DELETE FROM semel.former WHERE scope = ? AND key = ? AND task = ?";

    // Replaced tasks that still run.
    private static final String OPEN_FORMERS = """
            SELECT f.scope, f.key, f.task FROM unnest(?, ?) AS p (scope, key)
            CROSS JOIN LATERAL (SELECT x.* FROM semel.former x WHERE x.scope = p.scope AND x.key = p.key OFFSET 0) f
            WHERE (SELECT 1 FROM semel.done d WHERE d.task = f.task LIMIT 1) IS NULL
            """;

    private static final String RENEW =
            "UPDATE semel.record SET expires_at = ? WHERE scope = ? AND key = ? AND task = ?";

    private static final String REMOVE = "DELETE FROM semel.record WHERE scope = ? AND key = ? AND task = ?";

    // A transaction that has locked the record is about to change its owner. A count, which only people look at, does
    // not wait for that.
    private static final String COUNT = """
            WITH free AS MATERIALIZED (
              SELECT r.scope, r.key, m.count FROM unnest(?, ?, ?, ?) AS m (scope, key, task, count)
              CROSS JOIN LATERAL (
                SELECT x.scope, x.key FROM semel.record x
                WHERE x.scope = m.scope AND x.key = m.key AND x.task = m.task LIMIT 1 FOR UPDATE SKIP LOCKED) r
            )
            UPDATE semel.record r SET duplicates = coalesce(r.duplicates, 0) + free.count, last_duplicate_at = ?
            FROM free WHERE r.scope = ANY (ARRAY[free.scope]) AND r.key = free.key
            """;

    private KeyRecords() {}

    /** The records of these identities that exist, in one state of the database. */
    public static Map<RecordKey, Found> find(Session session, Collection<RecordKey> keys) throws SQLException {
        if (keys.isEmpty()) {
            return new HashMap<>();
        }
        Map<RecordKey, Found> found = new HashMap<>();
        session.sql(PROBE)
                .ints(scopes(keys))
                .texts(texts(keys))
                .list(row -> found.put(
                        new RecordKey(row.getInt(FOUND_COLUMNS + 1), row.getString(FOUND_COLUMNS + 2)), found(row)));
        return found;
    }

    /** Reads the first columns of {@link #PROBE}, with which other statements that look up records begin too. */
    public static Found found(ResultSet row) throws SQLException {
        Long finishedAt = SqlStatement.longOrNull(row, 10);
        Long lastDuplicateAt = SqlStatement.longOrNull(row, 15);
        return new Found(
                SqlStatement.id(row, 1),
                row.getInt(2),
                InputHash.ofBytes(row.getBytes(3)),
                row.getInt(4),
                SqlStatement.id(row, 5),
                SqlStatement.idOrNull(row, 6),
                row.getLong(7),
                row.getLong(8),
                TaskState.parse(row.getString(9)),
                finishedAt == null ? null : Instant.ofEpochMilli(finishedAt),
                row.getBoolean(11),
                row.getBoolean(12),
                row.getString(13),
                row.getLong(14),
                lastDuplicateAt == null ? null : Instant.ofEpochMilli(lastDuplicateAt));
    }

    /** Locks the records that exist, in their order, and reads them. */
    public static Map<RecordKey, Locked> lock(Transaction tx, Collection<RecordKey> keys) throws SQLException {
        SortedSet<RecordKey> sorted = new TreeSet<>(keys);
        if (sorted.isEmpty()) {
            return new HashMap<>();
        }
        List<RecordKey> there = tx.sql(LOCK)
                .ints(scopes(sorted))
                .texts(texts(sorted))
                .list(row -> {
                    tx.locked(LockKind.RECORD);
                    return key(row);
                });
        return locked(tx, there);
    }

    /** Reads locked records again, because their tasks may have moved on. */
    public static Map<RecordKey, Locked> reread(Transaction tx, Collection<Locked> locked) throws SQLException {
        return locked(tx, locked.stream().map(Locked::key).toList());
    }

    private static Map<RecordKey, Locked> locked(Transaction tx, List<RecordKey> keys) throws SQLException {
        Map<RecordKey, Locked> locked = new HashMap<>();
        find(tx.session(), keys).forEach((key, found) -> locked.put(key, new Locked(key, found)));
        if (locked.size() != keys.size()) {
            throw new IllegalStateException(
                    "Expected " + keys.size() + " locked records, but " + locked.size() + " are there");
        }
        return locked;
    }

    /** Locks records without waiting; returns the identities that no other transaction has locked, also those without a record. */
    public static Set<RecordKey> lockFree(Transaction tx, Collection<RecordKey> keys) throws SQLException {
        Set<RecordKey> locked = new HashSet<>(
                tx.sql(LOCK_FREE).ints(scopes(keys)).texts(texts(keys)).list(row -> key(row)));
        if (locked.size() == keys.size()) {
            return locked;
        }
        Set<RecordKey> free = new HashSet<>(keys);
        Set<RecordKey> others = new HashSet<>(find(tx.session(), keys).keySet());
        others.removeAll(locked);
        free.removeAll(others);
        return free;
    }

    /** Adds records, in this order. Waits for other transactions that add one of them, and loses the race if they commit. */
    public static Map<RecordKey, Locked> add(Transaction tx, SortedMap<RecordKey, Holder> sorted) throws SQLException {
        try {
            insert(tx, sorted);
        } catch (SQLException e) {
            throw ErrorTranslator.isTaken(e) ? lost() : e;
        }
        tx.locked(LockKind.NEW_RECORD);
        Map<RecordKey, Locked> added = new HashMap<>();
        sorted.forEach((key, holder) -> added.put(key, new Locked(key, holder.inState(TaskState.PENDING))));
        return added;
    }

    private static void insert(Transaction tx, SortedMap<RecordKey, Holder> sorted) throws SQLException {
        if (sorted.size() >= BinaryCopy.WORTH
                && BinaryCopy.isPossible(tx.session().connection())) {
            BinaryCopy copy = tx.session().copy(COPY, COPY_COLUMNS);
            sorted.forEach((key, holder) -> copy.row()
                    .with((Integer) key.scope())
                    .with(key.key())
                    .with(holder.taskId())
                    .with((Long) holder.expiresAt())
                    .with(seriesUnlessOwn(holder)));
            checkAdded(copy.send(), sorted.size());
            return;
        }
        int added = tx.sql(ADD)
                .ints(scopes(sorted.keySet()))
                .texts(texts(sorted.keySet()))
                .ids(sorted.values().stream().map(Holder::taskId).toList())
                .longs(sorted.values().stream().map(Holder::expiresAt).toList())
                .idsOrNull(sorted.values().stream()
                        .map(KeyRecords::seriesUnlessOwn)
                        .toList())
                .update();
        if (added != sorted.size()) {
            throw lost();
        }
    }

    private static Race lost() {
        return Race.lost("another transaction has taken an identity at the same moment");
    }

    public static void checkAdded(long rows, int wanted) {
        if (rows != wanted) {
            throw new IllegalStateException("Expected to add " + wanted + " rows, but added " + rows);
        }
    }

    /** Gives a key to another task, which is in this state; the key names the holder that it is taken from. */
    public static Locked takeOver(Transaction tx, Locked before, Holder next, TaskState state) throws SQLException {
        RecordKey key = before.key();
        TaskId holder = before.found().taskId();
        int rows = tx.sql(TAKE_OVER)
                .with(next.taskId())
                .with(next.expiresAt())
                .withId(seriesUnlessOwn(next))
                .with(key.scope())
                .withText(key.key())
                .with(holder)
                .update();
        if (rows != 1) {
            throw changed(holder);
        }
        addFormer(tx, key, holder);
        removeFormer(tx, key, next.taskId());
        forgetEffects(tx, before.found());
        return new Locked(key, next.inState(state));
    }

    private static IllegalStateException changed(TaskId holder) {
        return new IllegalStateException(
                "Expected a locked record to name task " + holder + ", but it names another task or is gone");
    }

    /** A removed tombstone may have been all that could continue a lineage. */
    private static void forgetEffects(Transaction tx, Found gone) throws SQLException {
        if (!gone.stored()) {
            EffectLedger.forget(tx, List.of(gone.lineageOrOwn()));
        }
    }

    private static void addFormer(Transaction tx, RecordKey key, TaskId task) throws SQLException {
        tx.sql(ADD_FORMER).with(key.scope()).withText(key.key()).with(task).update();
    }

    public static void removeFormer(Transaction tx, RecordKey key, TaskId task) throws SQLException {
        tx.sql(REMOVE_FORMER).with(key.scope()).withText(key.key()).with(task).update();
    }

    /**
     * The tasks of these identities that were replaced and still run: at most one of each. A transaction that makes another task
     * wait for one of them locks it, because the end of that task has to see the waiting one.
     */
    public static Map<RecordKey, TaskId> openFormers(Transaction tx, Collection<RecordKey> keys) throws SQLException {
        Map<RecordKey, TaskId> open = new HashMap<>();
        tx.sql(OPEN_FORMERS)
                .ints(scopes(keys))
                .texts(texts(keys))
                .list(row -> open.put(key(row), SqlStatement.id(row, "task")));
        return open;
    }

    public static void renew(Transaction tx, Locked record, long expiresAt) throws SQLException {
        int rows = bound(tx.sql(RENEW).with(expiresAt), record).update();
        if (rows != 1) {
            throw changed(record.found().taskId());
        }
    }

    /** Removes a record; its task is an earlier one of the identity from then on. */
    public static void remove(Transaction tx, Locked record) throws SQLException {
        int rows = bound(tx.sql(REMOVE), record).update();
        if (rows != 1) {
            throw changed(record.found().taskId());
        }
        if (record.found().stored()) {
            addFormer(tx, record.key(), record.found().taskId());
        }
        forgetEffects(tx, record.found());
    }

    private static SqlStatement bound(SqlStatement statement, Locked record) throws SQLException {
        return statement
                .with(record.key().scope())
                .withText(record.key().key())
                .with(record.found().taskId());
    }

    private static @Nullable TaskId seriesUnlessOwn(Holder holder) {
        return holder.series().equals(holder.taskId()) ? null : holder.series();
    }

    /** Adds to the counts of duplicates of keys, as long as these tasks hold them. */
    public static void count(Transaction tx, Map<RecordKey, Long> counts, Map<RecordKey, Found> holders)
            throws SQLException {
        if (!counts.isEmpty()) {
            tx.sql(COUNT)
                    .ints(scopes(counts.keySet()))
                    .texts(texts(counts.keySet()))
                    .ids(counts.keySet().stream()
                            .map(key -> Objects.requireNonNull(holders.get(key)).taskId())
                            .toList())
                    .longs(counts.values())
                    .with(tx.now())
                    .update();
        }
    }

    private static RecordKey key(ResultSet row) throws SQLException {
        return new RecordKey(row.getInt("scope"), row.getString("key"));
    }

    private static List<Integer> scopes(Collection<RecordKey> keys) {
        return keys.stream().map(RecordKey::scope).toList();
    }

    private static List<String> texts(Collection<RecordKey> keys) {
        return keys.stream().map(RecordKey::key).toList();
    }
}
