package dev.semel.postgresql.table;

import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.OptionsText;
import dev.semel.store.TaskOptions;
import dev.semel.store.TimeLimits;
import dev.semel.task.TaskId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Rows of {@code time_limit}: when a store has to look at a task with a time limit. They are written behind everything else that a transaction
 * locks, and read without a lock; what happens to a task is decided when the task itself is locked.
 */
public final class TimeLimitRows {

    private static final String SAVE = """
            INSERT INTO semel.time_limit (task, at) SELECT task, at FROM unnest(?, ?) AS m (task, at)
            ON CONFLICT (task) DO UPDATE SET at = excluded.at
            """;

    // Behind those that were read before: what is locked is left, and must not be read for ever.
    private static final String PASSED = """
            SELECT task, at FROM semel.time_limit WHERE at <= ? AND (at, uuid_send(task)) > (?, uuid_send(?))
            ORDER BY at, uuid_send(task) LIMIT ?
            """;

    private static final String PASSED_OF = """
            SELECT k.task, l.at FROM unnest(?) AS k (task)
            CROSS JOIN LATERAL (SELECT x.at FROM semel.time_limit x WHERE x.task = k.task LIMIT 1) l
            WHERE l.at <= ?
            """;

    private static final Passed BEFORE_ALL = new Passed(new TaskId(new UUID(0, 0)), Long.MIN_VALUE);

    // Only as they were read: a task that had ended then may have been redriven since, and its row says when its fresh
    // limit passes.
    private static final String REMOVE_PASSED = """
            DELETE FROM semel.time_limit t USING unnest(?, ?) AS m (task, at)
            WHERE t.task = ANY (ARRAY[m.task]) AND t.at + 0 = m.at
            """;

    private static final String REMOVE = "DELETE FROM semel.time_limit WHERE task = ?";

    private static final String SET_OPTIONS = "UPDATE semel.task SET retry = ? WHERE id = ?";

    /** A task at whose limits somebody has to look, and since when. */
    public record Passed(TaskId task, long at) {}

    private TimeLimitRows() {}

    /** Saves when to look at tasks, of which there may be none. */
    public static void save(Transaction tx, SortedMap<TaskId, Long> times) throws SQLException {
        if (!times.isEmpty()) {
            tx.sql(SAVE).ids(times.keySet()).longs(List.copyOf(times.values())).update();
        }
    }

    /**
     * Returns tasks at whose limits somebody has to look, in order of time.
     *
     * @param now by when their limits have passed
     * @param last the one behind which to begin, or null for the beginning
     */
    public static List<Passed> passed(Transaction tx, long now, @Nullable Passed last, int limit) throws SQLException {
        Passed from = last == null ? BEFORE_ALL : last;
        return tx.sql(PASSED)
                .with(now)
                .with(from.at())
                .with(from.task())
                .with(limit)
                .list(TimeLimitRows::row);
    }

    /** Returns those of these tasks at whose limits somebody has to look, in the same order. */
    public static List<Passed> passed(Transaction tx, Collection<TaskId> tasks) throws SQLException {
        return tx.sql(PASSED_OF).ids(tasks).with(tx.now()).list(TimeLimitRows::row).stream()
                .sorted(Comparator.comparingLong(Passed::at).thenComparing(Passed::task))
                .toList();
    }

    private static Passed row(ResultSet row) throws SQLException {
        return new Passed(SqlStatement.id(row, "task"), row.getLong("at"));
    }

    /** Removes rows as they were read. Those that have changed since stay. */
    public static void remove(Transaction tx, Collection<Passed> rows) throws SQLException {
        if (!rows.isEmpty()) {
            // In one order in all transactions that remove the same rows.
            SortedMap<TaskId, Long> sorted = new TreeMap<>();
            rows.forEach(row -> sorted.put(row.task(), row.at()));
            tx.sql(REMOVE_PASSED)
                    .ids(sorted.keySet())
                    .longs(List.copyOf(sorted.values()))
                    .update();
        }
    }

    /**
     * Gives a task that is redriven fresh limits, if it has any.
     *
     * @param text its rarely used options
     * @param attempt the number of its newest attempt
     */
    public static void redrive(Transaction tx, TaskId id, @Nullable String text, Instant createdAt, int attempt)
            throws SQLException {
        TaskOptions options = OptionsText.options(0, text, null, null);
        TimeLimits limits = options.limits();
        if (limits == null) {
            return;
        }
        TimeLimits fresh = limits.redriven(createdAt, attempt, tx.nowInstant());
        tx.sql(SET_OPTIONS)
                .withText(OptionsText.of(options.withLimits(fresh)))
                .with(id)
                .updateOne();
        Instant next = fresh.next(createdAt, attempt);
        if (next != null) {
            save(tx, new TreeMap<>(Map.of(id, next.toEpochMilli())));
        }
    }

    /** Removes the limits of a workflow that is restarted. */
    public static void restart(Transaction tx, TaskId id, @Nullable String text) throws SQLException {
        TaskOptions options = OptionsText.options(0, text, null, null);
        if (options.limits() != null) {
            tx.sql(SET_OPTIONS)
                    .withText(OptionsText.of(options.withLimits(null)))
                    .with(id)
                    .updateOne();
            tx.sql(REMOVE).with(id).update();
        }
    }
}
