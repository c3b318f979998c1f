package dev.semel.sqlite.table;

import dev.semel.sqlite.sql.ColumnValues;
import dev.semel.sqlite.sql.Session;
import dev.semel.sqlite.sql.StoredEnums;
import dev.semel.sqlite.transaction.Transaction;
import dev.semel.store.Settled;
import dev.semel.task.AttemptId;
import dev.semel.task.InputHash;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The columns of a task that settlements and operations decide on. */
public record TaskRow(
        long seq,
        int lane,
        TaskState state,
        int attempt,
        boolean cancelRequested,
        boolean attemptHere,
        @Nullable String outcome,
        int scope,
        @Nullable String key,
        long ttl,
        int run,
        @Nullable TaskId continued,
        long createdAt,
        @Nullable InputHash formerHash,
        @Nullable String mutex,
        boolean watched) {

    private static final String FIND = """
            SELECT seq, lane, state, attempt, cancel_requested, worker IS NOT NULL, outcome, scope, key, ttl, run,
              lineage, created_at, former_hash, mutex, EXISTS (SELECT 1 FROM semel_watch WHERE step = semel_task.id)
            FROM semel_task WHERE id = ?
            """;

    private static final String STANDING = "SELECT attempt = ?2 AND state = 'running' FROM semel_task WHERE id = ?1";

    /** Whether an attempt runs: applied if it does, stale if it does not, not found if its task is not stored. */
    public static Settled standing(Session session, AttemptId attempt) throws SQLException {
        try (ResultSet row = session.sql(STANDING)
                .with(attempt.taskId())
                .with(attempt.attempt())
                .query()) {
            return !row.next() ? Settled.NOT_FOUND : row.getBoolean(1) ? Settled.APPLIED : Settled.STALE;
        }
    }

    public static @Nullable TaskRow find(Transaction tx, TaskId id) throws SQLException {
        try (ResultSet row = tx.sql(FIND).with(id).query()) {
            if (!row.next()) {
                return null;
            }
            byte[] lineage = row.getBytes(12);
            byte[] hash = row.getBytes(14);
            return new TaskRow(
                    row.getLong(1),
                    row.getInt(2),
                    StoredEnums.state(row.getString(3)),
                    row.getInt(4),
                    row.getInt(5) != 0,
                    row.getInt(6) != 0,
                    row.getString(7),
                    row.getInt(8),
                    row.getString(9),
                    row.getLong(10),
                    row.getInt(11),
                    lineage == null ? null : ColumnValues.taskId(lineage),
                    row.getLong(13),
                    hash == null ? null : InputHash.ofBytes(hash),
                    row.getString(15),
                    row.getBoolean(16));
        }
    }

    public TaskReference changed(TaskId id) {
        return new TaskReference(seq, id, lane, mutex, watched);
    }
}
