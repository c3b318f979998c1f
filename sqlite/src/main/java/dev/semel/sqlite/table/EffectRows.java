package dev.semel.sqlite.table;

import dev.semel.sqlite.sql.ColumnValues;
import dev.semel.sqlite.sql.StoredEnums;
import dev.semel.sqlite.transaction.Transaction;
import dev.semel.store.EffectOutcome;
import dev.semel.store.Operation;
import dev.semel.store.Resolution;
import dev.semel.store.Settled;
import dev.semel.store.StoredEffect;
import dev.semel.store.StoredEffect.Known;
import dev.semel.task.AttemptId;
import dev.semel.task.EffectId;
import dev.semel.task.TaskId;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Rows of {@code semel_effect}. What changes them is decided by {@link StoredEffect}.
 */
public final class EffectRows {

    private static final String INTEND_FIRST = """
            INSERT INTO semel_effect (lineage, name, "index", task, attempt, known, intended_at, window_end)
            SELECT ?3, ?4, ?5, id, attempt, 'intended', ?6, ?7 FROM semel_task
            WHERE id = ?1 AND attempt = ?2 AND state = 'running'
            ON CONFLICT DO NOTHING
            """;

    private static final String FIND = """
            SELECT e.lineage, e.name, e."index", e.task, e.attempt, e.known, e.intended_at, e.window_end, e.settled_at, e.how,
              e.verdict, e.resolved_by, e.reason, e.note, e.result,
              EXISTS (SELECT 1 FROM semel_task WHERE id = ?4 AND attempt = ?5 AND state = 'running')
            FROM semel_effect e WHERE e.lineage = ?1 AND e.name = ?2 AND e."index" = ?3
            """;

    private static final int RUNS = 16;

    private static final String SAVE = """
            INSERT OR REPLACE INTO semel_effect (lineage, name, "index", task, attempt, known, intended_at, window_end,
              settled_at, how, verdict, resolved_by, reason, note, result)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """;

    // All tasks of a lineage are of one identity, so they are its first task, the one that the record of that identity
    // names, and former holders of it. A record can make another task of the lineage unless it remembers a completed
    // one. A first task that was swept and sent again may be of another lineage in its second life.
    private static final String FORGET_UNLESS_CONTINUED = """
            DELETE FROM semel_effect WHERE lineage = ?1
              AND NOT EXISTS (SELECT 1 FROM semel_task WHERE id = ?1 AND lineage IS NULL AND id IS NOT ?4)
              AND NOT EXISTS (
                SELECT 1 FROM semel_task INDEXED BY semel_task_former
                WHERE former_hash IS NOT NULL AND scope = ?2 AND key = ?3 AND lineage = ?1 AND id IS NOT ?4)
              AND NOT EXISTS (
                SELECT 1 FROM semel_record r
                WHERE r.scope = ?2 AND r.key = ?3 AND coalesce(r.lineage, r.task_id) = ?1
                  AND (r.state IS NOT 'completed'
                    OR EXISTS (SELECT 1 FROM semel_task WHERE id = r.task_id AND id IS NOT ?4)))
            """;

    // The tasks of a lineage as above.
    private static final String ERASE_UNLESS_STORED = """
            UPDATE semel_effect SET result = NULL, note = NULL, reason = CASE WHEN reason IS NULL THEN NULL ELSE ?4 END
            WHERE lineage = ?1
              AND NOT EXISTS (SELECT 1 FROM semel_task WHERE id = ?1 AND lineage IS NULL)
              AND NOT EXISTS (
                SELECT 1 FROM semel_task INDEXED BY semel_task_former
                WHERE former_hash IS NOT NULL AND scope = ?2 AND key = ?3 AND lineage = ?1)
              AND NOT EXISTS (
                SELECT 1 FROM semel_record r JOIN semel_task t ON t.id = r.task_id
                WHERE r.scope = ?2 AND r.key = ?3 AND coalesce(r.lineage, r.task_id) = ?1)
            """;

    private static final String ANY = "SELECT EXISTS (SELECT 1 FROM semel_effect)";

    private EffectRows() {}

    /** What is stored of an effect, and whether an attempt runs. */
    public record Look(@Nullable StoredEffect effect, boolean runs) {}

    /** Inserts an effect that is intended for the first time; false if it is there already or its attempt does not run. */
    public static boolean insert(Transaction tx, StoredEffect fresh) throws SQLException {
        return tx.sql(INTEND_FIRST)
                        .with(fresh.by().taskId())
                        .with(fresh.by().attempt())
                        .with(fresh.id().lineage())
                        .with(fresh.id().name())
                        .with(fresh.id().index())
                        .with(ColumnValues.millis(fresh.intendedAt()))
                        .with(ColumnValues.millisOrNull(fresh.windowEnd()))
                        .update()
                == 1;
    }

    /** The effect that is to be resolved; null if it is not stored. */
    public static @Nullable StoredEffect find(Transaction tx, Operation.Resolve operation) throws SQLException {
        return look(tx, operation.effect(), operation.left()).effect();
    }

    public static Look look(Transaction tx, EffectId id, AttemptId attempt) throws SQLException {
        try (ResultSet row = tx.sql(FIND)
                .with(id.lineage())
                .with(id.name())
                .with(id.index())
                .with(attempt.taskId())
                .with(attempt.attempt())
                .query()) {
            if (row.next()) {
                return new Look(stored(row), row.getBoolean(RUNS));
            }
        }
        return new Look(null, TaskRow.standing(tx.session(), attempt) == Settled.APPLIED);
    }

    /** Saves a change, if there is one, and returns its answer. */
    public static <A> A save(Transaction tx, StoredEffect.Change<A> change) throws SQLException {
        if (change.next() != null) {
            save(tx, change.next());
        }
        return change.answer();
    }

    public static void save(Transaction tx, StoredEffect effect) throws SQLException {
        Resolution resolution = effect.resolution();
        EffectOutcome.How how = effect.how();
        tx.sql(SAVE)
                .with(effect.id().lineage())
                .with(effect.id().name())
                .with(effect.id().index())
                .with(effect.by().taskId())
                .with(effect.by().attempt())
                .with(StoredEnums.word(effect.known()))
                .with(ColumnValues.millis(effect.intendedAt()))
                .with(ColumnValues.millisOrNull(effect.windowEnd()))
                .with(ColumnValues.millisOrNull(effect.settledAt()))
                .with(how == null ? null : how.word())
                .with(resolution == null ? null : resolution.verdict().word())
                .with(resolution == null ? null : resolution.by())
                .with(resolution == null ? null : resolution.reason())
                .with(effect.note())
                .with(effect.result())
                .updateOne();
    }

    /** The effect of a row that begins with the columns of the table, in the order of the statements here. */
    public static StoredEffect stored(ResultSet row) throws SQLException {
        String how = row.getString(10);
        String verdict = row.getString(11);
        return new StoredEffect(
                id(row),
                new AttemptId(task(row), row.getInt(5)),
                known(row),
                ColumnValues.instant(row, 7),
                ColumnValues.instantOrNull(row, 8),
                ColumnValues.instantOrNull(row, 9),
                how == null ? null : StoredEnums.how(how),
                row.getString(15),
                row.getString(14),
                verdict == null
                        ? null
                        : new Resolution(StoredEnums.verdict(verdict), null, row.getString(12), row.getString(13)));
    }

    public static EffectId id(ResultSet row) throws SQLException {
        return new EffectId(ColumnValues.taskId(row, 1), row.getString(2), row.getInt(3));
    }

    public static TaskId task(ResultSet row) throws SQLException {
        return ColumnValues.taskId(row, 4);
    }

    public static Known known(ResultSet row) throws SQLException {
        return StoredEnums.known(row.getString(6));
    }

    /** Whether any effect is stored: where there is none, a sweep does not pay for deleting them. */
    public static boolean any(Transaction tx) throws SQLException {
        try (ResultSet row = tx.sql(ANY).query()) {
            return row.next() && row.getBoolean(1);
        }
    }

    /**
     * Deletes the effects of a lineage if no task can continue it. Costs one read if there are none.
     *
     * @param scope with the key: the identity of its tasks; any number without a key
     * @param completed a task that is stored and does not count, because its data was deleted with its completion; or null
     */
    public static void forgetUnlessContinued(
            Transaction tx, TaskId lineage, int scope, @Nullable String key, @Nullable TaskId completed)
            throws SQLException {
        tx.sql(FORGET_UNLESS_CONTINUED)
                .with(lineage)
                .with(scope)
                .with(key)
                .with(completed == null ? null : ColumnValues.bytes(completed))
                .update();
    }

    /** Deletes what handlers and people wrote about the effects of a lineage, if no task of it is stored. */
    public static void eraseUnlessStored(Transaction tx, TaskId lineage, int scope, @Nullable String key)
            throws SQLException {
        tx.sql(ERASE_UNLESS_STORED)
                .with(lineage)
                .with(scope)
                .with(key)
                .with(StoredEffect.ERASED)
                .update();
    }
}
