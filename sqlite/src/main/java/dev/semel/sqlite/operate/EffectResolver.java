package dev.semel.sqlite.operate;

import dev.semel.sqlite.sql.StoredEnums;
import dev.semel.sqlite.submit.DeadLetters;
import dev.semel.sqlite.table.EffectRows;
import dev.semel.sqlite.table.FlowRows;
import dev.semel.sqlite.table.TaskEnds;
import dev.semel.sqlite.transaction.Transaction;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Resolution;
import dev.semel.store.StoredEffect;
import dev.semel.store.StoredEffect.Standing;
import dev.semel.task.AttemptId;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The resolution of effects with unknown outcome by an operator. A parked task waits like one that waits for the end of another
 * task, but for one that does not exist: its id is empty. So neither an end nor a mutex makes it pending.
 */
final class EffectResolver {

    private static final String STANDING = """
            SELECT seq, lane, state, attempt, after_id = x'', EXISTS (SELECT 1 FROM semel_watch WHERE step = semel_task.id),
              EXISTS (SELECT 1 FROM semel_flow WHERE task = semel_task.id), substr(retry, 1, 1) = '~'
            FROM semel_task WHERE id = ?
            """;

    private static final String RESUME = """
            UPDATE semel_task SET state = 'pending', after_id = NULL, order_at = ?2 - priority * 60000, due_at = ?2
            WHERE seq = ?1
            """;

    // The attempt that parked it is in the history and stays as it is.
    private static final String GIVE_UP = """
            UPDATE semel_task SET state = 'failed', after_id = NULL, due_at = NULL, finished_at = ?2, last_error = ?3
            WHERE seq = ?1
            """;

    private EffectResolver() {}

    /** The task whose attempt dealt with an effect last. */
    private record Owner(long seq, int lane, Standing standing, boolean watched, boolean workflow) {}

    /** Records a resolution, and makes the effect's task pending or failed if it is parked because of the effect. */
    static Operated resolve(Transaction tx, Operation.Resolve operation) throws SQLException {
        StoredEffect effect = EffectRows.find(tx, operation);
        Owner owner = effect == null ? null : owner(tx, effect.by());
        Standing standing = owner == null ? Standing.OVER : owner.standing();
        boolean workflow = owner != null && owner.workflow();
        StoredEffect.Change<Operated> change =
                StoredEffect.resolve(effect, operation, standing, workflow, tx.nowInstant());
        Operated unused = EffectRows.save(tx, change);
        if (change.next() != null && workflow) {
            FlowRows.resolved(tx, change.next().by().taskId(), operation);
        }
        if (change.next() != null && owner != null && standing == Standing.PARKED) {
            if (operation.resolution().verdict() == Resolution.Verdict.GIVE_UP) {
                giveUp(tx, owner, change.next().by().taskId(), operation.givenUp());
            } else {
                tx.sql(RESUME).with(owner.seq()).with(tx.now()).updateOne();
                tx.claimable(tx.names().lane(owner.lane()), tx.now());
            }
        }
        return change.answer();
    }

    private static @Nullable Owner owner(Transaction tx, AttemptId by) throws SQLException {
        try (ResultSet row = tx.sql(STANDING).with(by.taskId()).query()) {
            if (!row.next()) {
                return null;
            }
            TaskState state = StoredEnums.state(row.getString(3));
            Standing standing = Standing.of(state, row.getInt(4) == by.attempt(), row.getBoolean(5));
            boolean workflow = row.getBoolean(7) || (state.isOpen() && row.getBoolean(8));
            return new Owner(row.getLong(1), row.getInt(2), standing, row.getBoolean(6), workflow);
        }
    }

    private static void giveUp(Transaction tx, Owner owner, TaskId id, String error) throws SQLException {
        tx.sql(GIVE_UP).with(owner.seq()).with(tx.now()).with(error).updateOne();
        TaskEnds.ended(tx, id, owner.watched());
        DeadLetters.submit(tx, TaskEnds.consequences(tx, owner.lane(), TaskState.WAITING, TaskState.FAILED), id);
    }
}
