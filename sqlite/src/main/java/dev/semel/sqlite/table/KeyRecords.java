package dev.semel.sqlite.table;

import dev.semel.sqlite.sql.ColumnValues;
import dev.semel.sqlite.sql.MultiRowStatement;
import dev.semel.sqlite.sql.Session;
import dev.semel.sqlite.sql.SqlStatement;
import dev.semel.sqlite.sql.StoredEnums;
import dev.semel.sqlite.transaction.Transaction;
import dev.semel.store.DuplicateCounts;
import dev.semel.store.KeyHolder;
import dev.semel.store.KeyRecord;
import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** Rows of {@code semel_record}: the task that holds an identity. */
public final class KeyRecords {

    private static final String ADD = """
            INSERT INTO semel_record (scope, key, task_id, lane, input_hash, run, series, lineage, created_at, expires_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """;

    private static final String TAKE_OVER = """
            UPDATE semel_record SET task_id = ?3, lane = ?4, input_hash = ?5, run = ?6, series = ?7, lineage = ?8,
              created_at = ?9, expires_at = ?10, state = NULL, finished_at = NULL, duplicates = 0, last_duplicate_at = NULL
            WHERE scope = ?1 AND key = ?2 AND task_id = ?11
            """;

    private static final String FIND = """
            SELECT r.task_id, r.lane, r.input_hash, r.run, r.lineage, r.created_at, r.expires_at,
              coalesce(t.state, r.state), coalesce(t.finished_at, r.finished_at), t.seq,
              CASE WHEN t.finished_at IS NOT NULL THEN t.result END, r.state IS NOT NULL, r.series
            FROM semel_record r LEFT JOIN semel_task t ON t.id = r.task_id
            WHERE r.scope = ? AND r.key = ?
            """;

    private static final MultiRowStatement ADD_ALL = new MultiRowStatement("""
            INSERT INTO semel_record (scope, key, task_id, lane, input_hash, run, created_at, expires_at)
            VALUES (?, ?, ?, ?, ?, 1, ?, ?)
            ON CONFLICT DO NOTHING
            """, "(?, ?, ?, ?, ?, 1, ?, ?)");

    private static final MultiRowStatement FIND_ALL = new MultiRowStatement("""
            WITH asked (place, scope, key, id) AS (VALUES (?, ?, ?, ?))
            SELECT r.task_id, r.lane, r.input_hash, r.run, r.lineage, r.created_at, r.expires_at,
              coalesce(t.state, r.state), coalesce(t.finished_at, r.finished_at), t.seq,
              CASE WHEN t.finished_at IS NOT NULL THEN t.result END, r.state IS NOT NULL, r.series, asked.place,
              EXISTS (SELECT 1 FROM semel_task WHERE semel_task.id = asked.id)
            FROM asked
              LEFT JOIN semel_record r ON r.scope = asked.scope AND r.key = asked.key
              LEFT JOIN semel_task t ON t.id = r.task_id
            """, "(?, ?, ?, ?)");

    private static final String REMOVE = "DELETE FROM semel_record WHERE scope = ? AND key = ? AND task_id = ?";

    private static final String REMEMBER = """
            UPDATE semel_record SET state = ?4, finished_at = ?5
            WHERE scope = ?1 AND key = ?2 AND task_id = ?3
            """;

    private static final String RENEW =
            "UPDATE semel_record SET expires_at = ? WHERE scope = ? AND key = ? AND task_id = ?";

    private static final String MAKE_FORMER = "UPDATE semel_task SET former_hash = ? WHERE id = ?";

    // The holder of a key is found by the record; a task that lost it can still be running if it was replaced.
    private static final String OPEN_FORMER = """
            SELECT id FROM semel_task INDEXED BY semel_task_former
            WHERE former_hash IS NOT NULL AND scope = ? AND key = ? AND state IN ('pending', 'running', 'waiting')
            """;

    private static final String COUNT = """
            UPDATE semel_record SET duplicates = duplicates + ?4, last_duplicate_at = ?5
            WHERE scope = ?1 AND key = ?2 AND task_id = ?3
            """;

    private static final String COUNTED =
            "SELECT duplicates, last_duplicate_at FROM semel_record WHERE scope = ? AND key = ?";

    private KeyRecords() {}

    /** How many submissions were answered with the task of a record, and when the newest was counted. */
    record Counted(long duplicates, @Nullable Instant lastAt) {}

    /** Adds counts of duplicates to the records of those tasks that still hold their key. */
    public static int count(Transaction tx, List<DuplicateCounts.Count> counts) throws SQLException {
        int counted = 0;
        for (DuplicateCounts.Count count : counts) {
            OptionalInt scope = tx.names().findScope(count.identity());
            if (scope.isPresent()
                    && count(tx, scope.getAsInt(), count.identity().key(), count.taskId(), count.count())) {
                counted++;
            }
        }
        return counted;
    }

    private static boolean count(Transaction tx, int scope, String key, TaskId id, int number) throws SQLException {
        return tx.sql(COUNT)
                        .with(scope)
                        .with(key)
                        .with(id)
                        .with(number)
                        .with(tx.now())
                        .update()
                == 1;
    }

    public static Counted counted(Session session, int scope, String key) throws SQLException {
        try (ResultSet row = session.sql(COUNTED).with(scope).with(key).query()) {
            return row.next() ? new Counted(row.getLong(1), ColumnValues.instantOrNull(row, 2)) : new Counted(0, null);
        }
    }

    /**
     * A record with the state of its task.
     *
     * @param seq the number of the task's row, or null if that was deleted
     * @param result the result of the task, or null
     * @param dataGone whether input and result of the task were deleted: the record keeps how it ended
     */
    public record Found(
            TaskId taskId,
            int lane,
            InputHash inputHash,
            int run,
            @Nullable TaskId series,
            @Nullable TaskId continued,
            long createdAt,
            long expiresAt,
            TaskState state,
            @Nullable Instant finishedAt,
            @Nullable Long seq,
            @Nullable String result,
            boolean dataGone) {

        public boolean windowPassed(long now) {
            return now >= expiresAt;
        }

        public KeyHolder holder() {
            return new KeyHolder(taskId, state, Instant.ofEpochMilli(expiresAt));
        }

        /** The series of the next run. */
        public TaskId seriesOrOwn() {
            return series == null ? taskId : series;
        }

        public TaskId lineage() {
            return continued == null ? taskId : continued;
        }

        public KeyRecord seen(Identity identity, String type, Counted counted, long now) {
            return new KeyRecord(
                    identity,
                    taskId,
                    type,
                    inputHash,
                    run,
                    lineage(),
                    Instant.ofEpochMilli(createdAt),
                    Instant.ofEpochMilli(expiresAt),
                    windowPassed(now),
                    state,
                    finishedAt,
                    dataGone,
                    counted.duplicates(),
                    counted.lastAt());
        }
    }

    /**
     * A task as the holder of an identity.
     *
     * @param series the series of the next run, or null if this task begins it
     * @param continued the first task of its lineage, or null if it continues none
     */
    public record Holder(
            TaskId taskId,
            int lane,
            InputHash inputHash,
            int run,
            @Nullable TaskId series,
            @Nullable TaskId continued,
            long createdAt,
            long expiresAt) {}

    /** Takes an identity that has no record; false if it has one. */
    public static boolean add(Transaction tx, int scope, String key, Holder holder) throws SQLException {
        return bound(tx.sql(ADD), scope, key, holder).update() == 1;
    }

    /** Makes a record name another task. The one that it named so far is a former holder from then on. */
    public static void takeOver(Transaction tx, int scope, String key, Found from, Holder holder) throws SQLException {
        bound(tx.sql(TAKE_OVER), scope, key, holder).with(from.taskId()).updateOne();
        makeFormer(tx, from);
    }

    /** Takes identities; returns how many of them had no record before. */
    public static int addAll(Transaction tx, List<NumberedTask> all) throws SQLException {
        int added = 0;
        for (int from = 0; from < all.size(); ) {
            List<NumberedTask> part = all.subList(from, from + MultiRowStatement.rows(all.size() - from));
            SqlStatement statement = tx.sql(ADD_ALL.text(part.size()));
            for (NumberedTask asked : part) {
                statement
                        .with(asked.scope())
                        .with(asked.request().identity().key())
                        .with(asked.task().id())
                        .with(asked.lane().id())
                        .with(asked.request().inputHash().bytes())
                        .with(tx.now())
                        .with(ColumnValues.after(tx.now(), asked.request().ttl()));
            }
            added += statement.update();
            from += part.size();
        }
        return added;
    }

    public static @Nullable Found find(Session session, int scope, String key) throws SQLException {
        try (ResultSet row = session.sql(FIND).with(scope).with(key).query()) {
            return row.next() ? found(row) : null;
        }
    }

    /**
     * What is there of a submission.
     *
     * @param record the record of its identity, or null
     * @param taskThere whether its task is there: a duplicate is one only if it was not sent before
     */
    public record Look(@Nullable Found record, boolean taskThere) {}

    /** Looks up submissions, at most as many as one statement takes; one answer for each, in order. */
    public static List<Look> findAll(Session session, List<NumberedTask> all) throws SQLException {
        int room = MultiRowStatement.room(all.size());
        SqlStatement statement = session.sql(FIND_ALL.text(room));
        for (int place = 0; place < all.size(); place++) {
            NumberedTask asked = all.get(place);
            statement
                    .with(place)
                    .with(asked.scope())
                    .with(asked.request().identity().key())
                    .with(asked.task().id());
        }
        for (int place = all.size(); place < room; place++) {
            statement.with(place).with((Long) null).with((String) null).with((byte[]) null);
        }
        Look[] looks = new Look[all.size()];
        try (ResultSet row = statement.query()) {
            while (row.next()) {
                int place = row.getInt(14);
                if (place < looks.length) {
                    looks[place] = new Look(found(row), row.getBoolean(15));
                }
            }
        }
        return List.of(looks);
    }

    private static @Nullable Found found(ResultSet row) throws SQLException {
        byte[] taskId = row.getBytes(1);
        if (taskId == null) {
            return null;
        }
        byte[] lineage = row.getBytes(5);
        byte[] series = row.getBytes(13);
        return new Found(
                ColumnValues.taskId(taskId),
                row.getInt(2),
                InputHash.ofBytes(row.getBytes(3)),
                row.getInt(4),
                series == null ? null : ColumnValues.taskId(series),
                lineage == null ? null : ColumnValues.taskId(lineage),
                row.getLong(6),
                row.getLong(7),
                StoredEnums.state(row.getString(8)),
                ColumnValues.instantOrNull(row, 9),
                ColumnValues.longOrNull(row, 10),
                row.getString(11),
                row.getBoolean(12));
    }

    /** Frees an identity. */
    public static void remove(Transaction tx, int scope, String key, Found record) throws SQLException {
        tx.sql(REMOVE).with(scope).with(key).with(record.taskId()).updateOne();
        makeFormer(tx, record);
    }

    /** Records how the task of a key ended, because the task's data is deleted. */
    public static void remember(Transaction tx, int scope, String key, TaskId id, TaskState state, long finishedAt)
            throws SQLException {
        tx.sql(REMEMBER)
                .with(scope)
                .with(key)
                .with(id)
                .with(StoredEnums.word(state))
                .with(finishedAt)
                .update();
    }

    public static void renew(Transaction tx, int scope, String key, TaskId holder, long expiresAt) throws SQLException {
        tx.sql(RENEW).with(expiresAt).with(scope).with(key).with(holder).updateOne();
    }

    /** The open task that held an identity before its present holder, or null: it was replaced and has not ended yet. */
    public static @Nullable TaskId openFormer(Transaction tx, int scope, String key) throws SQLException {
        try (ResultSet row = tx.sql(OPEN_FORMER).with(scope).with(key).query()) {
            return row.next() ? ColumnValues.taskId(row, 1) : null;
        }
    }

    private static void makeFormer(Transaction tx, Found record) throws SQLException {
        if (record.seq() != null) {
            tx.sql(MAKE_FORMER)
                    .with(record.inputHash().bytes())
                    .with(record.taskId())
                    .updateOne();
        }
    }

    private static SqlStatement bound(SqlStatement statement, int scope, String key, Holder holder)
            throws SQLException {
        return statement
                .with(scope)
                .with(key)
                .with(holder.taskId())
                .with(holder.lane())
                .with(holder.inputHash().bytes())
                .with(holder.run())
                .with(holder.series() == null ? null : ColumnValues.bytes(holder.series()))
                .with(holder.continued() == null ? null : ColumnValues.bytes(holder.continued()))
                .with(holder.createdAt())
                .with(holder.expiresAt());
    }
}
