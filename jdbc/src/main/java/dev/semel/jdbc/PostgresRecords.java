package dev.semel.jdbc;

import dev.semel.jdbc.PostgresDatabase.Asked;
import dev.semel.jdbc.PostgresInserts.Place;
import dev.semel.store.NewTask;
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
 * Idempotency records. A record is not written when its task ends: with the row of the task's end it is all that a decision
 * needs. Whoever changes who holds a key locks the record first, and everything that it decides by is read after that.
 */
final class PostgresRecords {

    /** An identity in numbers. Sorted, because batches that lock in different orders deadlock. */
    record RecordKey(int scope, String key) implements Comparable<RecordKey> {

        static RecordKey of(Asked asked) {
            return new RecordKey(asked.scope(), asked.request().identity().key());
        }

        @Override
        public int compareTo(RecordKey other) {
            int first = Integer.compare(scope, other.scope);
            return first != 0 ? first : key.compareTo(other.key);
        }
    }

    /**
     * A record and how its task stands.
     *
     * @param series the series that the next run belongs to
     * @param stored whether the task has a row
     */
    record Found(
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

        boolean windowPassed(long now) {
            return now >= expiresAt;
        }

        TaskId lineageOrOwn() {
            return lineage == null ? taskId : lineage;
        }

        /** The answer to the submission that made this task, if it is sent again. */
        Submitted created() {
            return new Submitted.Created(taskId, run, state, Instant.ofEpochMilli(createdAt));
        }
    }

    /**
     * Who is to hold an identity.
     *
     * @param series the series that the next run belongs to
     */
    record Holder(
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
     * A record that this transaction has locked, and how its task stood when that was read under the lock. Whoever gives a key
     * to another task, or takes it away, needs one, and only this class makes them: so nobody decides by what was read before
     * the lock.
     */
    static final class Locked {

        private final RecordKey key;
        private final Found found;

        private Locked(RecordKey key, Found found) {
            this.key = key;
            this.found = found;
        }

        RecordKey key() {
            return key;
        }

        Found found() {
            return found;
        }
    }

    // The record, its task, and how that stands, in one state of the database. A tombstone has all of it itself.
    static final String FOUND = """
             r.task, coalesce(t.lane, r.lane), coalesce(t.input_hash, r.input_hash), coalesce(t.run, r.run),
             coalesce(r.series, t.series, r.task),
             coalesce(t.lineage, r.lineage), coalesce(t.created_at, r.created_at), r.expires_at,
             CASE WHEN d.task IS NOT NULL THEN d.state WHEN r.state IS NOT NULL THEN r.state ELSE\s""" + PostgresTasks.OPEN_STATE + """
             END,
             coalesce(d.finished_at, r.finished_at), r.state IS NULL, r.state IS NOT NULL OR coalesce(d.bare, false),
             d.result, coalesce(r.duplicates, 0), r.last_duplicate_at
            """;

    /**
     * The record {@code r} of the scope and key of {@code p}, as a part of a statement that is looked up for each of them:
     * a plain join may read all records instead, if its plan was made while there were none.
     */
    static final String RECORD = """
             JOIN LATERAL (SELECT * FROM semel.record x WHERE x.scope = p.scope AND x.key = p.key LIMIT 1) r ON true
            """;

    /** What {@link #FOUND} needs beside the record. */
    static final String HELD = """
             LEFT JOIN LATERAL (SELECT * FROM semel.task x WHERE x.id = r.task AND r.state IS NULL LIMIT 1) t ON true
             LEFT JOIN LATERAL (SELECT * FROM semel.done x WHERE x.task = r.task LIMIT 1) d ON true
            """;

    static final String PROBE = "SELECT r.scope, r.key," + FOUND + """
            FROM unnest(?, ?) AS p (scope, key)
            """ + RECORD + HELD;

    private static final String ANY_HELD = "SELECT 1 FROM unnest(?, ?) AS p (scope, key)" + RECORD + "LIMIT 1";

    // Waits for whoever holds one of them; one that is not there is not waited for.
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

    // Many callers with one key send few at a time, and each of them but one would leave an error in the server's log.
    private static final String ADD = """
            INSERT INTO semel.record (scope, key, task, expires_at, series) SELECT * FROM unnest(?, ?, ?, ?, ?)
            ON CONFLICT (scope, key) DO NOTHING
            """;

    private static final String COPY =
            "COPY semel.record (scope, key, task, expires_at, series) FROM STDIN (FORMAT binary)";

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
            CROSS JOIN LATERAL (SELECT 1 FROM semel.running x WHERE x.task = f.task LIMIT 1) g
            """;

    private static final String RENEW =
            "UPDATE semel.record SET expires_at = ? WHERE scope = ? AND key = ? AND task = ?";

    private static final String REMOVE = "DELETE FROM semel.record WHERE scope = ? AND key = ? AND task = ?";

    // Whoever has locked the record is about to give it away; nobody waits for a count that is only for people to look
    // at.
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

    private PostgresRecords() {}

    /** The records of these identities that are there, in one state of the database. */
    static Map<RecordKey, Found> find(PostgresSession session, Collection<RecordKey> keys) throws SQLException {
        if (keys.isEmpty()) {
            return new HashMap<>();
        }
        Map<RecordKey, Found> found = new HashMap<>();
        session.sql(PROBE)
                .ints(scopes(keys))
                .texts(texts(keys))
                .list(row -> found.put(new RecordKey(row.getInt(1), row.getString(2)), found(row, 3)));
        return found;
    }

    /** Whether there is a record of any of these. */
    static boolean isAnyHeld(PostgresTransaction tx, Collection<RecordKey> keys) throws SQLException {
        return !keys.isEmpty()
                && tx.sql(ANY_HELD).ints(scopes(keys)).texts(texts(keys)).first(row -> true) != null;
    }

    static @Nullable Found find(PostgresSession session, RecordKey key) throws SQLException {
        return find(session, List.of(key)).get(key);
    }

    /** Reads {@link #FOUND}, which begins with this column. */
    static Found found(ResultSet row, int first) throws SQLException {
        Long finishedAt = PostgresStatement.longOrNull(row, first + 9);
        Long lastDuplicateAt = PostgresStatement.longOrNull(row, first + 14);
        return new Found(
                PostgresStatement.id(row, first),
                row.getInt(first + 1),
                InputHash.ofBytes(row.getBytes(first + 2)),
                row.getInt(first + 3),
                PostgresStatement.id(row, first + 4),
                PostgresStatement.idOrNull(row, first + 5),
                row.getLong(first + 6),
                row.getLong(first + 7),
                TaskState.parse(row.getString(first + 8)),
                finishedAt == null ? null : Instant.ofEpochMilli(finishedAt),
                row.getBoolean(first + 10),
                row.getBoolean(first + 11),
                row.getString(first + 12),
                row.getLong(first + 13),
                lastDuplicateAt == null ? null : Instant.ofEpochMilli(lastDuplicateAt));
    }

    /** Locks records, sorted, and reads them: those that are there. */
    static Map<RecordKey, Locked> lock(PostgresTransaction tx, Collection<RecordKey> keys) throws SQLException {
        SortedSet<RecordKey> sorted = new TreeSet<>(keys);
        if (sorted.isEmpty()) {
            return new HashMap<>();
        }
        List<RecordKey> there = tx.sql(LOCK)
                .ints(scopes(sorted))
                .texts(texts(sorted))
                .list(row -> {
                    tx.locked(PostgresLock.RECORD);
                    return new RecordKey(row.getInt(1), row.getString(2));
                });
        return locked(tx, there);
    }

    /** Reads locked records again, because their tasks may have moved on. */
    static Map<RecordKey, Locked> reread(PostgresTransaction tx, Collection<Locked> locked) throws SQLException {
        return locked(tx, locked.stream().map(Locked::key).toList());
    }

    private static Map<RecordKey, Locked> locked(PostgresTransaction tx, List<RecordKey> keys) throws SQLException {
        Map<RecordKey, Locked> locked = new HashMap<>();
        find(tx.session(), keys).forEach((key, found) -> locked.put(key, new Locked(key, found)));
        if (locked.size() != keys.size()) {
            throw new IllegalStateException(
                    "Expected " + keys.size() + " locked records, but " + locked.size() + " are there");
        }
        return locked;
    }

    /** Locks records, and gives those identities that nobody else has locked, those without a record included. */
    static Set<RecordKey> lockFree(PostgresTransaction tx, Collection<RecordKey> keys) throws SQLException {
        Set<RecordKey> locked = new HashSet<>(tx.sql(LOCK_FREE)
                .ints(scopes(keys))
                .texts(texts(keys))
                .list(row -> new RecordKey(row.getInt(1), row.getString(2))));
        if (locked.size() == keys.size()) {
            return locked;
        }
        Set<RecordKey> free = new HashSet<>(keys);
        Set<RecordKey> others = new HashSet<>(find(tx.session(), keys).keySet());
        others.removeAll(locked);
        free.removeAll(others);
        return free;
    }

    /** Adds records, in this order. Waits for others who add one of them, and loses the race if they do. */
    static Map<RecordKey, Locked> add(PostgresTransaction tx, SortedMap<RecordKey, Holder> sorted) throws SQLException {
        try {
            insert(tx, sorted);
        } catch (SQLException e) {
            throw PostgresFailures.isTaken(e) ? lost() : e;
        }
        tx.locked(PostgresLock.NEW_RECORD);
        Map<RecordKey, Locked> added = new HashMap<>();
        sorted.forEach((key, holder) -> added.put(key, new Locked(key, holder.inState(TaskState.PENDING))));
        return added;
    }

    private static void insert(PostgresTransaction tx, SortedMap<RecordKey, Holder> sorted) throws SQLException {
        if (sorted.size() >= PostgresCopy.WORTH
                && PostgresCopy.isPossible(tx.session().connection())) {
            PostgresCopy copy = tx.session().copy(COPY, 5);
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
                        .map(PostgresRecords::seriesUnlessOwn)
                        .toList())
                .update();
        if (added != sorted.size()) {
            throw lost();
        }
    }

    private static PostgresFailures.Race lost() {
        return PostgresFailures.Race.lost("somebody else has taken an identity at the same moment");
    }

    static void checkAdded(long rows, int wanted) {
        if (rows != wanted) {
            throw new IllegalStateException("Expected to add " + wanted + " rows, but added " + rows);
        }
    }

    /** The record that a submission takes. */
    static Holder holder(PostgresTransaction tx, Place place) {
        Asked asked = place.asked();
        NewTask.KeyRequest key = asked.request();
        TaskId id = asked.task().id();
        return new Holder(
                id,
                asked.lane().id(),
                key.inputHash(),
                place.run(),
                place.series() == null ? id : place.series(),
                place.lineage(),
                tx.now(),
                tx.after(key.ttl()));
    }

    /** Gives a key to another task, which is in this state; the key names the holder that it is taken from. */
    static Locked takeOver(PostgresTransaction tx, Locked before, Holder next, TaskState state) throws SQLException {
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

    /** A tombstone that is gone may have been all that could continue a lineage. */
    private static void forgetEffects(PostgresTransaction tx, Found gone) throws SQLException {
        if (!gone.stored()) {
            PostgresEffects.forget(tx, List.of(gone.lineageOrOwn()));
        }
    }

    private static void addFormer(PostgresTransaction tx, RecordKey key, TaskId task) throws SQLException {
        tx.sql(ADD_FORMER).with(key.scope()).withText(key.key()).with(task).update();
    }

    static void removeFormer(PostgresTransaction tx, RecordKey key, TaskId task) throws SQLException {
        tx.sql(REMOVE_FORMER).with(key.scope()).withText(key.key()).with(task).update();
    }

    /**
     * The tasks of these identities that were replaced and still run: one of each at the most. They are locked by whoever makes
     * another task wait for them, because that has to be seen by their end.
     */
    static Map<RecordKey, TaskId> openFormers(PostgresTransaction tx, Collection<RecordKey> keys) throws SQLException {
        Map<RecordKey, TaskId> open = new HashMap<>();
        tx.sql(OPEN_FORMERS)
                .ints(scopes(keys))
                .texts(texts(keys))
                .list(row -> open.put(new RecordKey(row.getInt(1), row.getString(2)), PostgresStatement.id(row, 3)));
        return open;
    }

    static void renew(PostgresTransaction tx, Locked record, long expiresAt) throws SQLException {
        int rows = bound(tx.sql(RENEW).with(expiresAt), record).update();
        if (rows != 1) {
            throw changed(record.found().taskId());
        }
    }

    /** Removes a record; its task is an earlier one of the identity from then on. */
    static void remove(PostgresTransaction tx, Locked record) throws SQLException {
        int rows = bound(tx.sql(REMOVE), record).update();
        if (rows != 1) {
            throw changed(record.found().taskId());
        }
        if (record.found().stored()) {
            addFormer(tx, record.key(), record.found().taskId());
        }
        forgetEffects(tx, record.found());
    }

    private static PostgresStatement bound(PostgresStatement statement, Locked record) throws SQLException {
        return statement
                .with(record.key().scope())
                .withText(record.key().key())
                .with(record.found().taskId());
    }

    private static @Nullable TaskId seriesUnlessOwn(Holder holder) {
        return holder.series().equals(holder.taskId()) ? null : holder.series();
    }

    /** Adds to the counts of duplicates of keys, as long as these tasks hold them. */
    static void count(PostgresTransaction tx, Map<RecordKey, Long> counts, Map<RecordKey, Found> holders)
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

    private static List<Integer> scopes(Collection<RecordKey> keys) {
        return keys.stream().map(RecordKey::scope).toList();
    }

    private static List<String> texts(Collection<RecordKey> keys) {
        return keys.stream().map(RecordKey::key).toList();
    }
}
