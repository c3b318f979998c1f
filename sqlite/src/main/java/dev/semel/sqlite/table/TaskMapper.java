package dev.semel.sqlite.table;

import dev.semel.sqlite.sql.ColumnValues;
import dev.semel.sqlite.sql.StoredEnums;
import dev.semel.sqlite.transaction.Lane;
import dev.semel.sqlite.transaction.Names;
import dev.semel.sqlite.transaction.Transaction;
import dev.semel.store.OptionsText;
import dev.semel.store.Task;
import dev.semel.store.Task.Progress;
import dev.semel.store.TaskOptions;
import dev.semel.task.Identity;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The mapper from rows of {@code semel_task} to tasks. Statements list the columns in the order in which it reads them: those
 * that every task has, then either state, due time, end and result, or, of a task that was just claimed, its number.
 */
public final class TaskMapper {

    private static final int SEQ = 19;

    private static final char MUTEX_SEPARATOR = '\u001F';

    private static final String FIND = """
            SELECT id, lane, input, priority, retry, timeout, scope, key, run, lineage, created_at, attempt, failures,
              vanished, cancel_requested, last_error, mutex, series, state, due_at, finished_at, result
            FROM semel_task WHERE id = ?
            """;

    private TaskMapper() {}

    /** Reads one task that must be there. */
    public static Task find(Transaction tx, TaskId id) throws SQLException {
        try (ResultSet row = tx.sql(FIND).with(id).query()) {
            if (!row.next()) {
                throw new IllegalStateException("Expected task " + id + " to be stored, but it is not");
            }
            return task(row, tx.names());
        }
    }

    /** The task of a row that ends with state, due_at, finished_at and result. */
    public static Task task(ResultSet row, Names names) throws SQLException {
        return read(
                row,
                names,
                StoredEnums.state(row.getString(19)),
                ColumnValues.instantOrNull(row, 20),
                ColumnValues.instantOrNull(row, 21),
                row.getString(22));
    }

    /** The task of a row that ends with seq, which was just claimed. */
    public static Task running(ResultSet row, Names names, Instant leaseEnd) throws SQLException {
        return read(row, names, TaskState.RUNNING, leaseEnd, null, null);
    }

    public static long seqOfRunning(ResultSet row) throws SQLException {
        return row.getLong(SEQ);
    }

    private static Task read(
            ResultSet row,
            Names names,
            TaskState state,
            @Nullable Instant dueAt,
            @Nullable Instant finishedAt,
            @Nullable String result)
            throws SQLException {
        TaskId id = ColumnValues.taskId(row, 1);
        Lane lane = names.lane(row.getInt(2));
        byte[] lineage = row.getBytes(10);
        byte[] series = row.getBytes(18);
        return new Task(
                id,
                lane.tenant(),
                lane.queue(),
                lane.type(),
                row.getString(3),
                options(row),
                identity(row, names),
                row.getInt(9),
                series == null ? id : ColumnValues.taskId(series),
                lineage == null ? id : ColumnValues.taskId(lineage),
                ColumnValues.instant(row, 11),
                new Progress(
                        state,
                        row.getInt(12),
                        row.getInt(13),
                        row.getInt(14),
                        dueAt,
                        row.getInt(15) != 0,
                        finishedAt,
                        result,
                        row.getString(16)));
    }

    private static TaskOptions options(ResultSet row) throws SQLException {
        int priority = row.getInt(4);
        String retry = row.getString(5);
        Long timeout = ColumnValues.longOrNull(row, 6);
        String mutex = row.getString(17);
        return OptionsText.options(
                priority,
                retry,
                timeout == null ? null : Duration.ofMillis(timeout),
                mutex == null ? null : mutex.substring(mutex.lastIndexOf(MUTEX_SEPARATOR) + 1));
    }

    /** A mutex as it is stored: of one tenant and type. Neither these nor the mutex itself have control characters. */
    public static @Nullable String mutex(Lane lane, @Nullable String mutex) {
        return mutex == null ? null : lane.tenant() + MUTEX_SEPARATOR + lane.type() + MUTEX_SEPARATOR + mutex;
    }

    private static @Nullable Identity identity(ResultSet row, Names names) throws SQLException {
        String key = row.getString(8);
        return key == null ? null : names.identity(row.getInt(7), key);
    }
}
