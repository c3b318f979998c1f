package dev.semel.jdbc;

import dev.semel.store.Applied;
import dev.semel.store.EffectOutcome;
import dev.semel.store.Resolution;
import dev.semel.store.StoredEffect;
import dev.semel.store.StoredEffect.Known;
import dev.semel.store.Transition;
import dev.semel.task.EffectId;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Rows of {@code semel_effect}, and the moves that change them. What a move does is decided by {@link StoredEffect}; here is
 * only what it needs to know, and what becomes of it. The first intent of an effect, which nearly all are, is one statement
 * that is its own fence; an outcome is two.
 */
final class SqliteEffects {

    /** What {@link #stored} reads. */
    static final String COLUMNS =
            "e.lineage, e.name, e.\"index\", e.task, e.attempt, e.known, e.intended_at, e.window_end,"
                    + " e.settled_at, e.how, e.verdict, e.resolved_by, e.reason, e.note, e.result";

    private static final String INTEND_FIRST = """
            INSERT INTO semel_effect (lineage, name, "index", task, attempt, known, intended_at, window_end)
            SELECT ?3, ?4, ?5, id, attempt, 'intended', ?6, ?7 FROM semel_task
            WHERE id = ?1 AND attempt = ?2 AND state = 'running'
            ON CONFLICT DO NOTHING
            """;

    private static final String FIND = "SELECT " + COLUMNS + """
            , EXISTS (SELECT 1 FROM semel_task WHERE id = ?4 AND attempt = ?5 AND state = 'running')
            FROM semel_effect e WHERE e.lineage = ?1 AND e.name = ?2 AND e."index" = ?3
            """;

    private static final int RUNS = 16;

    private static final String IS_RUNNING = "SELECT attempt = ?2 AND state = 'running' FROM semel_task WHERE id = ?1";

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

    private static final String ANY = "SELECT EXISTS (SELECT 1 FROM semel_effect)";

    private SqliteEffects() {}

    /** What is kept of an effect, and whether the attempt that was asked about runs. */
    private record Look(@Nullable StoredEffect effect, boolean runs) {}

    static Applied intend(SqliteTransaction tx, Transition.Intend move) throws SQLException {
        Lease lease = move.lease();
        StoredEffect.Change first = StoredEffect.intend(null, move, tx.nowInstant());
        StoredEffect fresh = first.next();
        if (fresh != null && insert(tx, fresh)) {
            return first.answer();
        }
        Look look = look(tx, move.effect(), lease);
        if (look.runs()) {
            return save(tx, StoredEffect.intend(look.effect(), move, tx.nowInstant()));
        }
        return isRunning(tx, lease) == null ? Applied.NOT_FOUND : Applied.STALE;
    }

    /** Inserts an effect that is intended for the first time; false if it is there already or its attempt does not run. */
    private static boolean insert(SqliteTransaction tx, StoredEffect fresh) throws SQLException {
        return tx.sql(INTEND_FIRST)
                        .with(fresh.by().taskId())
                        .with(fresh.by().attempt())
                        .with(fresh.id().lineage())
                        .with(fresh.id().name())
                        .with(fresh.id().index())
                        .with(SqliteValues.millis(fresh.intendedAt()))
                        .with(SqliteValues.millisOrNull(fresh.windowEnd()))
                        .update()
                == 1;
    }

    static Applied conclude(SqliteTransaction tx, Transition.Conclude move) throws SQLException {
        Look look = look(tx, move.effect(), move.lease());
        return save(tx, StoredEffect.conclude(look.effect(), move, look.runs(), tx.nowInstant()));
    }

    /** Notes that a task parks because of an effect; tells whether it is to wait. */
    static boolean park(SqliteTransaction tx, Transition.Park move) throws SQLException {
        StoredEffect parked =
                StoredEffect.parked(look(tx, move.effect(), move.lease()).effect(), move);
        if (parked != null) {
            save(tx, parked);
        }
        return parked != null;
    }

    /** The effect that a person speaks of, or null if there is nothing. */
    static @Nullable StoredEffect find(SqliteTransaction tx, Transition.Resolve move) throws SQLException {
        return look(tx, move.effect(), move.left()).effect();
    }

    private static Look look(SqliteTransaction tx, EffectId id, Lease lease) throws SQLException {
        try (ResultSet row = tx.sql(FIND)
                .with(id.lineage())
                .with(id.name())
                .with(id.index())
                .with(lease.taskId())
                .with(lease.attempt())
                .query()) {
            if (row.next()) {
                return new Look(stored(row), row.getBoolean(RUNS));
            }
        }
        return new Look(null, Boolean.TRUE.equals(isRunning(tx, lease)));
    }

    /** Whether an attempt runs; null if its task is not there. */
    private static @Nullable Boolean isRunning(SqliteTransaction tx, Lease lease) throws SQLException {
        try (ResultSet row =
                tx.sql(IS_RUNNING).with(lease.taskId()).with(lease.attempt()).query()) {
            return row.next() ? (Boolean) row.getBoolean(1) : null;
        }
    }

    /** Makes a change, if it is one, and gives its answer. */
    static Applied save(SqliteTransaction tx, StoredEffect.Change change) throws SQLException {
        if (change.next() != null) {
            save(tx, change.next());
        }
        return change.answer();
    }

    private static void save(SqliteTransaction tx, StoredEffect effect) throws SQLException {
        Resolution said = effect.resolution();
        EffectOutcome.How how = effect.how();
        tx.sql(SAVE)
                .with(effect.id().lineage())
                .with(effect.id().name())
                .with(effect.id().index())
                .with(effect.by().taskId())
                .with(effect.by().attempt())
                .with(SqliteWords.word(effect.known()))
                .with(SqliteValues.millis(effect.intendedAt()))
                .with(SqliteValues.millisOrNull(effect.windowEnd()))
                .with(SqliteValues.millisOrNull(effect.settledAt()))
                .with(how == null ? null : how.word())
                .with(said == null ? null : said.verdict().word())
                .with(said == null ? null : said.by())
                .with(said == null ? null : said.reason())
                .with(effect.note())
                .with(effect.result())
                .updateOne();
    }

    /** The effect of a row that begins with {@link #COLUMNS}. */
    static StoredEffect stored(ResultSet row) throws SQLException {
        String how = row.getString(10);
        String verdict = row.getString(11);
        return new StoredEffect(
                id(row),
                new Lease(SqliteValues.taskId(row, 4), row.getInt(5)),
                known(row),
                SqliteValues.instant(row, 7),
                SqliteValues.instantOrNull(row, 8),
                SqliteValues.instantOrNull(row, 9),
                how == null ? null : SqliteWords.how(how),
                row.getString(15),
                row.getString(14),
                verdict == null
                        ? null
                        : new Resolution(SqliteWords.verdict(verdict), null, row.getString(12), row.getString(13)));
    }

    static EffectId id(ResultSet row) throws SQLException {
        return new EffectId(SqliteValues.taskId(row, 1), row.getString(2), row.getInt(3));
    }

    static Known known(ResultSet row) throws SQLException {
        return SqliteWords.known(row.getString(6));
    }

    /** Whether anybody has effects: where nobody does, nobody pays for forgetting them. */
    static boolean any(SqliteTransaction tx) throws SQLException {
        try (ResultSet row = tx.sql(ANY).query()) {
            return row.next() && row.getBoolean(1);
        }
    }

    /**
     * Forgets the effects of a lineage if nothing can continue it any more. Costs one look if there are none.
     *
     * @param scope with the key: the identity of its tasks; any number without a key
     * @param completed a task that is stored and does not count, because its data has gone with its completion; or null
     */
    static void forgetUnlessContinued(
            SqliteTransaction tx, TaskId lineage, int scope, @Nullable String key, @Nullable TaskId completed)
            throws SQLException {
        tx.sql(FORGET_UNLESS_CONTINUED)
                .with(lineage)
                .with(scope)
                .with(key)
                .with(completed == null ? null : SqliteValues.bytes(completed))
                .update();
    }
}
