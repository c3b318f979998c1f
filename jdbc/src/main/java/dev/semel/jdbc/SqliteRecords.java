package dev.semel.jdbc;

import dev.semel.jdbc.SqliteSubmissions.Asked;
import dev.semel.store.KeyRecord;
import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows of {@code semel_record}: who holds an identity. */
final class SqliteRecords {

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

    private static final SqliteMany ADD_ALL = new SqliteMany(
            "INSERT INTO semel_record (scope, key, task_id, lane, input_hash, run, created_at, expires_at) VALUES ",
            "(?, ?, ?, ?, ?, 1, ?, ?)",
            " ON CONFLICT DO NOTHING");

    private static final SqliteMany FIND_ALL =
            new SqliteMany("WITH asked (place, scope, key, id) AS (VALUES ", "(?, ?, ?, ?)", """
            )
            SELECT r.task_id, r.lane, r.input_hash, r.run, r.lineage, r.created_at, r.expires_at,
              coalesce(t.state, r.state), coalesce(t.finished_at, r.finished_at), t.seq,
              CASE WHEN t.finished_at IS NOT NULL THEN t.result END, r.state IS NOT NULL, r.series, asked.place,
              EXISTS (SELECT 1 FROM semel_task WHERE semel_task.id = asked.id)
            FROM asked
              LEFT JOIN semel_record r ON r.scope = asked.scope AND r.key = asked.key
              LEFT JOIN semel_task t ON t.id = r.task_id
            """);

    private static final String REMOVE = "DELETE FROM semel_record WHERE scope = ? AND key = ? AND task_id = ?";

    private static final String REMEMBER = """
            UPDATE semel_record SET state = ?4, finished_at = ?5
            WHERE scope = ?1 AND key = ?2 AND task_id = ?3
            """;

    private static final String RENEW =
            "UPDATE semel_record SET expires_at = ? WHERE scope = ? AND key = ? AND task_id = ?";

    private static final String MAKE_FORMER = "UPDATE semel_task SET former_hash = ? WHERE id = ?";

    // Whoever holds the key is found by the record; a task that lost it can still be running if it was replaced.
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

    private SqliteRecords() {}

    /** How many submissions were answered with the task of a record, and when the newest was counted. */
    record Counted(long duplicates, @Nullable Instant lastAt) {}

    /** Counts duplicates; false if the record is not there or has another task. */
    static boolean count(SqliteTransaction tx, int scope, String key, TaskId id, int number) throws SQLException {
        return tx.sql(COUNT)
                        .with(scope)
                        .with(key)
                        .with(id)
                        .with(number)
                        .with(tx.now())
                        .update()
                == 1;
    }

    static Counted counted(SqliteSession session, int scope, String key) throws SQLException {
        try (ResultSet row = session.sql(COUNTED).with(scope).with(key).query()) {
            return row.next() ? new Counted(row.getLong(1), SqliteValues.instantOrNull(row, 2)) : new Counted(0, null);
        }
    }

    /**
     * A record with the state of its task.
     *
     * @param seq the number of the task's row, or null if that has gone
     * @param result what the task has ended with, or null
     * @param dataGone whether input and result of the task have gone: the record remembers how it ended
     */
    record Found(
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

        boolean windowPassed(long now) {
            return now >= expiresAt;
        }

        /** The series of the next run. */
        TaskId seriesOrOwn() {
            return series == null ? taskId : series;
        }

        TaskId lineage() {
            return continued == null ? taskId : continued;
        }

        KeyRecord seen(Identity identity, String type, Counted counted, long now) {
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
    record Holder(
            TaskId taskId,
            int lane,
            InputHash inputHash,
            int run,
            @Nullable TaskId series,
            @Nullable TaskId continued,
            long createdAt,
            long expiresAt) {}

    /** Takes an identity that has no record; false if it has one. */
    static boolean add(SqliteTransaction tx, int scope, String key, Holder holder) throws SQLException {
        return bound(tx.sql(ADD), scope, key, holder).update() == 1;
    }

    /** Makes a record name another task. The one that it named so far is a former holder from then on. */
    static void takeOver(SqliteTransaction tx, int scope, String key, Found from, Holder holder) throws SQLException {
        bound(tx.sql(TAKE_OVER), scope, key, holder).with(from.taskId()).updateOne();
        makeFormer(tx, from);
    }

    /** Takes identities; tells how many of them had no record before. */
    static int addAll(SqliteTransaction tx, List<Asked> all) throws SQLException {
        int added = 0;
        for (int from = 0; from < all.size(); ) {
            List<Asked> part = all.subList(from, from + SqliteMany.rows(all.size() - from));
            SqliteStatement statement = tx.sql(ADD_ALL.text(part.size()));
            for (Asked asked : part) {
                statement
                        .with(asked.scope())
                        .with(asked.request().identity().key())
                        .with(asked.task().id())
                        .with(asked.lane().id())
                        .with(asked.request().inputHash().bytes())
                        .with(tx.now())
                        .with(SqliteValues.after(tx.now(), asked.request().ttl()));
            }
            added += statement.update();
            from += part.size();
        }
        return added;
    }

    static @Nullable Found find(SqliteSession session, int scope, String key) throws SQLException {
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
    record Look(@Nullable Found record, boolean taskThere) {}

    /** Looks submissions up, at most as many as one statement takes; one answer for each, in order. */
    static List<Look> findAll(SqliteSession session, List<Asked> all) throws SQLException {
        int room = SqliteMany.room(all.size());
        SqliteStatement statement = session.sql(FIND_ALL.text(room));
        for (int place = 0; place < all.size(); place++) {
            Asked asked = all.get(place);
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
                SqliteValues.taskId(taskId),
                row.getInt(2),
                InputHash.ofBytes(row.getBytes(3)),
                row.getInt(4),
                series == null ? null : SqliteValues.taskId(series),
                lineage == null ? null : SqliteValues.taskId(lineage),
                row.getLong(6),
                row.getLong(7),
                SqliteWords.state(row.getString(8)),
                SqliteValues.instantOrNull(row, 9),
                SqliteValues.longOrNull(row, 10),
                row.getString(11),
                row.getBoolean(12));
    }

    /** Frees an identity. */
    static void remove(SqliteTransaction tx, int scope, String key, Found record) throws SQLException {
        tx.sql(REMOVE).with(scope).with(key).with(record.taskId()).updateOne();
        makeFormer(tx, record);
    }

    /** Lets a record remember how its task ended, because the task's data goes. */
    static void remember(SqliteTransaction tx, int scope, String key, TaskId id, TaskState state, long finishedAt)
            throws SQLException {
        tx.sql(REMEMBER)
                .with(scope)
                .with(key)
                .with(id)
                .with(SqliteWords.word(state))
                .with(finishedAt)
                .update();
    }

    static void renew(SqliteTransaction tx, int scope, String key, TaskId holder, long expiresAt) throws SQLException {
        tx.sql(RENEW).with(expiresAt).with(scope).with(key).with(holder).updateOne();
    }

    /** The open task that held an identity before its present holder, or null: it was replaced and has not ended yet. */
    static @Nullable TaskId openFormer(SqliteTransaction tx, int scope, String key) throws SQLException {
        try (ResultSet row = tx.sql(OPEN_FORMER).with(scope).with(key).query()) {
            return row.next() ? SqliteValues.taskId(row, 1) : null;
        }
    }

    private static void makeFormer(SqliteTransaction tx, Found record) throws SQLException {
        if (record.seq() != null) {
            tx.sql(MAKE_FORMER)
                    .with(record.inputHash().bytes())
                    .with(record.taskId())
                    .updateOne();
        }
    }

    private static SqliteStatement bound(SqliteStatement statement, int scope, String key, Holder holder)
            throws SQLException {
        return statement
                .with(scope)
                .with(key)
                .with(holder.taskId())
                .with(holder.lane())
                .with(holder.inputHash().bytes())
                .with(holder.run())
                .with(holder.series() == null ? null : SqliteValues.bytes(holder.series()))
                .with(holder.continued() == null ? null : SqliteValues.bytes(holder.continued()))
                .with(holder.createdAt())
                .with(holder.expiresAt());
    }
}
