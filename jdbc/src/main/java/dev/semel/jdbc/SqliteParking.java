package dev.semel.jdbc;

import dev.semel.jdbc.SqliteTasks.Running;
import dev.semel.store.Applied;
import dev.semel.store.Resolution;
import dev.semel.store.StoredEffect;
import dev.semel.store.StoredEffect.Standing;
import dev.semel.store.Transition;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Tasks that wait for a person's word about an effect. They are waiting like those that wait for the end of another task, but
 * for one that does not exist: its id is empty. So neither an end nor a mutex lets them go.
 */
final class SqliteParking {

    private static final String PARK = """
            UPDATE semel_task SET state = 'waiting', order_at = NULL, after_id = x'', last_error = ?2, claim = NULL,
              worker = NULL, started_at = NULL
            WHERE seq = ?1
            """;

    private static final String STANDING =
            "SELECT seq, lane, state, attempt, after_id = x'' FROM semel_task WHERE id = ?";

    private static final String GO_ON = """
            UPDATE semel_task SET state = 'pending', after_id = NULL, order_at = ?2 - priority * 60000, due_at = ?2
            WHERE seq = ?1
            """;

    // The attempt that parked it is in the history and stays as it is.
    private static final String GIVE_UP = """
            UPDATE semel_task SET state = 'failed', after_id = NULL, due_at = NULL, finished_at = ?2, last_error = ?3
            WHERE seq = ?1
            """;

    private SqliteParking() {}

    /** Ends the attempt of a running task and parks the task. */
    static void park(SqliteTransaction tx, Running task, Transition.Park move) throws SQLException {
        SqliteTasks.archive(tx, task.seq(), move.outcome(), tx.now(), move.reason());
        tx.sql(PARK).with(task.seq()).with(move.reason()).updateOne();
        SqliteTasks.freeMutex(tx, task.mutex());
        String queue = tx.names().lane(task.lane()).queue();
        if (tx.queues().of(queue).isLimited()) {
            tx.news().due(queue); // a place is free
        }
    }

    /** The task whose attempt dealt with an effect last. */
    private record Owner(long seq, int lane, Standing standing) {}

    /** Notes what a person says about an effect, and lets its task go on or end if it is parked because of it. */
    static Applied resolve(SqliteTransaction tx, SqliteSession session, Transition.Resolve move) throws SQLException {
        StoredEffect effect = SqliteEffects.find(tx, move);
        Owner owner = effect == null ? null : owner(tx, effect.by());
        Standing standing = owner == null ? Standing.OVER : owner.standing();
        StoredEffect.Change change = StoredEffect.resolve(effect, move, standing, tx.nowInstant());
        SqliteEffects.save(tx, change);
        if (change.next() != null && owner != null && standing == Standing.PARKED) {
            if (move.resolution().verdict() == Resolution.Verdict.GIVE_UP) {
                giveUp(tx, session, owner, change.next().by().taskId(), move.givenUp());
            } else {
                tx.sql(GO_ON).with(owner.seq()).with(tx.now()).updateOne();
                tx.claimable(tx.names().lane(owner.lane()), tx.now());
            }
        }
        return change.answer();
    }

    private static @Nullable Owner owner(SqliteTransaction tx, Lease by) throws SQLException {
        try (ResultSet row = tx.sql(STANDING).with(by.taskId()).query()) {
            if (!row.next()) {
                return null;
            }
            TaskState state = SqliteWords.state(row.getString(3));
            boolean its = row.getInt(4) == by.attempt();
            Standing standing = !state.isOpen()
                    ? Standing.OVER
                    : its && state == TaskState.RUNNING
                            ? Standing.AT_IT
                            : its && row.getBoolean(5) ? Standing.PARKED : Standing.OPEN;
            return new Owner(row.getLong(1), row.getInt(2), standing);
        }
    }

    private static void giveUp(SqliteTransaction tx, SqliteSession session, Owner owner, TaskId id, String error)
            throws SQLException {
        tx.sql(GIVE_UP).with(owner.seq()).with(tx.now()).with(error).updateOne();
        tx.news().ended(id);
        SqliteTasks.tellDeadLetterQueue(tx, session, owner.lane(), id);
    }
}
