package dev.semel.sqlite.table;

import dev.semel.sqlite.sql.ColumnValues;
import dev.semel.sqlite.sql.SqlStatement;
import dev.semel.sqlite.transaction.Transaction;
import dev.semel.store.OptionsText;
import dev.semel.store.TaskOptions;
import dev.semel.store.TimeLimits;
import dev.semel.task.TaskId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows of {@code semel_time_limit}: when a store has to look at a task with a time limit. */
public final class TimeLimitRows {

    private static final String SAVE = """
            INSERT INTO semel_time_limit (task, lane, at) VALUES (?1, ?2, ?3)
            ON CONFLICT (task) DO UPDATE SET lane = excluded.lane, at = excluded.at, error = NULL
            """;

    private static final String STOP = """
            INSERT INTO semel_time_limit (task, lane, error) VALUES (?1, ?2, ?3)
            ON CONFLICT (task) DO UPDATE SET at = NULL, error = excluded.error
            """;

    private static final String REMOVE = "DELETE FROM semel_time_limit WHERE task = ?";

    private static final String TAKE_ERROR =
            "DELETE FROM semel_time_limit WHERE task = ? AND error IS NOT NULL RETURNING error";

    private static final String PASSED = """
            SELECT task FROM semel_time_limit INDEXED BY semel_time_limit_at WHERE at <= ?1 ORDER BY at, task LIMIT ?2
            """;

    private static final String PASSED_IN_LANE = """
            SELECT task FROM semel_time_limit INDEXED BY semel_time_limit_lane WHERE lane = ?3 AND at <= ?1 ORDER BY at, task LIMIT ?2
            """;

    private static final String SET_OPTIONS = "UPDATE semel_task SET retry = ? WHERE seq = ?";

    private TimeLimitRows() {}

    /** Saves when to look at a new task, if it has limits. */
    public static void add(Transaction tx, NumberedTask asked) throws SQLException {
        TimeLimits limits = asked.task().options().limits();
        Instant next = limits == null ? null : limits.next(tx.nowInstant(), 0);
        if (next != null) {
            save(tx, asked.task().id(), asked.lane().id(), next);
        }
    }

    /** Saves when to look at a task. */
    public static void save(Transaction tx, TaskId id, int lane, Instant at) throws SQLException {
        tx.sql(SAVE).with(id).with(lane).with(at.toEpochMilli()).updateOne();
    }

    /** Removes the row of a task, if it has one. */
    public static void remove(Transaction tx, TaskId id) throws SQLException {
        tx.sql(REMOVE).with(id).update();
    }

    /** Records what the error of a running task says that was asked to cancel because its time limit has passed. */
    public static void stop(Transaction tx, TaskId id, int lane, String error) throws SQLException {
        tx.sql(STOP).with(id).with(lane).with(error).updateOne();
    }

    /** Removes and returns what the error of a task says that was asked to cancel because of its time limit; null otherwise. */
    public static @Nullable String takeError(Transaction tx, TaskId id) throws SQLException {
        try (ResultSet row = tx.sql(TAKE_ERROR).with(id).query()) {
            return row.next() ? row.getString(1) : null;
        }
    }

    /** Returns tasks at whose limits somebody has to look. */
    public static List<TaskId> passed(Transaction tx, int limit) throws SQLException {
        return ids(tx.sql(PASSED).with(tx.now()).with(limit));
    }

    /** The same for one lane. */
    public static List<TaskId> passedInLane(Transaction tx, int lane, int limit) throws SQLException {
        return ids(tx.sql(PASSED_IN_LANE).with(tx.now()).with(limit).with(lane));
    }

    private static List<TaskId> ids(SqlStatement statement) throws SQLException {
        List<TaskId> all = new ArrayList<>();
        try (ResultSet row = statement.query()) {
            while (row.next()) {
                all.add(ColumnValues.taskId(row, 1));
            }
        }
        return all;
    }

    /** Gives a task that is redriven fresh limits, if its options, as they are stored, have any. */
    public static void redrive(Transaction tx, TaskId id, TaskRow task, @Nullable String text) throws SQLException {
        TaskOptions options = OptionsText.options(0, text, null, null);
        TimeLimits limits = options.limits();
        if (limits == null) {
            return;
        }
        Instant createdAt = Instant.ofEpochMilli(task.createdAt());
        TimeLimits fresh = limits.redriven(createdAt, task.attempt(), tx.nowInstant());
        tx.sql(SET_OPTIONS)
                .with(OptionsText.of(options.withLimits(fresh)))
                .with(task.seq())
                .updateOne();
        Instant next = fresh.next(createdAt, task.attempt());
        if (next != null) {
            save(tx, id, task.lane(), next);
        }
    }

    /** Removes the limits of a workflow that is restarted. */
    public static void restart(Transaction tx, TaskId id, TaskRow task, @Nullable String text) throws SQLException {
        TaskOptions options = OptionsText.options(0, text, null, null);
        if (options.limits() != null) {
            tx.sql(SET_OPTIONS)
                    .with(OptionsText.of(options.withLimits(null)))
                    .with(task.seq())
                    .updateOne();
            remove(tx, id);
        }
    }
}
