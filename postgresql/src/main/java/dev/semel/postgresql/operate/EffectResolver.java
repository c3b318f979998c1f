package dev.semel.postgresql.operate;

import dev.semel.postgresql.sql.Race;
import dev.semel.postgresql.submit.DeadLetters;
import dev.semel.postgresql.table.EffectRows;
import dev.semel.postgresql.table.FlowChanges;
import dev.semel.postgresql.table.TaskEnds;
import dev.semel.postgresql.table.TaskEnds.Ended;
import dev.semel.postgresql.table.TaskReader;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Resolution;
import dev.semel.store.StoredEffect;
import dev.semel.store.StoredEffect.Change;
import dev.semel.store.StoredEffect.Standing;
import dev.semel.task.AttemptId;
import dev.semel.task.TaskState;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Resolves effects with unknown outcome for an operator. It locks the effect, and only then reads where its task stands; a park
 * locks the effect before it lets the task wait. So the later one of the two sees what the earlier one did.
 */
final class EffectResolver {

    // Where the task stands whose attempt dealt with an effect last.
    private static final String STANDING = """
            SELECT EXISTS (SELECT 1 FROM semel.running WHERE task = ? AND attempt = ?) AS running,
              EXISTS (SELECT 1 FROM semel.waiting WHERE task = ? AND attempt = ? AND after IS NULL AND mutex IS NULL) AS parked,
              EXISTS (SELECT 1 FROM semel.task t WHERE id = ?
                AND NOT EXISTS (SELECT 1 FROM semel.done d WHERE d.task = t.id)) AS open,
              EXISTS (SELECT 1 FROM semel.flow WHERE task = ?) AS counted,
              EXISTS (SELECT 1 FROM semel.task WHERE id = ? AND left(retry, 1) = '~') AS submitted
            """;

    private static final String UNPARK = """
            WITH free AS (
              DELETE FROM semel.waiting WHERE task = ? AND attempt = ? AND after IS NULL AND mutex IS NULL
              RETURNING task, seq, lane, attempt, failures, vanished, priority, watched
            )
            INSERT INTO semel.ready (task, seq, order_at, lane, attempt, failures, vanished, priority, suspect, mutex, watched)
            SELECT f.task, f.seq, ? - f.priority * 60000::bigint, f.lane, f.attempt, f.failures, f.vanished, f.priority,
              f.vanished > 0, CASE WHEN t.mutex IS NOT NULL THEN
                (SELECT l.tenant || chr(31) || l.type || chr(31) || t.mutex FROM semel.lane l WHERE l.id = t.lane) END,
              f.watched
            FROM free f
            CROSS JOIN LATERAL (SELECT x.lane, x.mutex FROM semel.task x WHERE x.id = f.task LIMIT 1) t
            RETURNING lane
            """;

    private static final String GIVE_UP = """
            WITH gone AS (
              DELETE FROM semel.waiting WHERE task = ? AND attempt = ? AND after IS NULL AND mutex IS NULL
              RETURNING task, lane, attempt, failures, vanished, watched
            ), ended AS (
              INSERT INTO semel.done (task, finished_at, lane, attempt, failures, vanished, state, error)
              SELECT task, ?, lane, attempt, failures, vanished, 'failed', ? FROM gone
            )
            SELECT lane, watched FROM gone
            """;

    private final Transaction tx;

    EffectResolver(Transaction tx) {
        this.tx = tx;
    }

    /** Records an operator's resolution, and lets a parked task continue or fail. */
    Operated resolve(Operation.Resolve operation) throws SQLException {
        StoredEffect effect = EffectRows.lock(tx, List.of(operation.effect())).get(operation.effect());
        Owner owner = effect == null ? Owner.NONE : owner(effect.by());
        Standing standing = owner.standing();
        Change<Operated> change = StoredEffect.resolve(effect, operation, standing, owner.workflow(), tx.nowInstant());
        StoredEffect next = change.next();
        if (next == null) {
            return change.answer();
        }
        EffectRows.save(tx, List.of(next));
        if (owner.workflow()) {
            FlowChanges.resolved(tx, next.by().taskId(), operation);
        }
        if (standing == Standing.PARKED) {
            if (operation.resolution().verdict() == Resolution.Verdict.GIVE_UP) {
                giveUp(next.by(), operation.givenUp());
            } else {
                unpark(next.by());
            }
        }
        return change.answer();
    }

    private void unpark(AttemptId by) throws SQLException {
        Integer lane = tx.sql(UNPARK)
                .with(by.taskId())
                .with(by.attempt())
                .with(tx.now())
                .first(row -> row.getInt("lane"));
        tx.news().due(tx.lane(stillParked(lane)).queue());
    }

    private void giveUp(AttemptId by, String error) throws SQLException {
        Ended dead = tx.sql(GIVE_UP)
                .with(by.taskId())
                .with(by.attempt())
                .with(tx.now())
                .withText(TaskReader.storable(error))
                .first(row -> new Ended(
                        by.taskId(),
                        row.getInt("lane"),
                        TaskState.WAITING,
                        TaskState.FAILED,
                        false,
                        null,
                        row.getBoolean("watched")));
        if (dead == null) {
            throw moved();
        }
        TaskEnds.follow(tx, List.of(dead));
        DeadLetters.submit(tx, List.of(dead));
    }

    private static int stillParked(@Nullable Integer lane) throws SQLException {
        if (lane == null) {
            throw moved();
        }
        return lane;
    }

    private static Race moved() {
        return new Race("a parked task was cancelled or replaced at the same moment");
    }

    /** The task whose attempt dealt with an effect last: its situation, and whether resolutions are entries in its inbox. */
    private record Owner(Standing standing, boolean workflow) {
        static final Owner NONE = new Owner(Standing.OVER, false);
    }

    private Owner owner(AttemptId by) throws SQLException {
        Owner owner = tx.sql(STANDING)
                .with(by.taskId())
                .with(by.attempt())
                .with(by.taskId())
                .with(by.attempt())
                .with(by.taskId())
                .with(by.taskId())
                .with(by.taskId())
                .first(row -> {
                    boolean open = row.getBoolean("open");
                    Standing standing = row.getBoolean("running")
                            ? Standing.AT_IT
                            : row.getBoolean("parked") ? Standing.PARKED : open ? Standing.OPEN : Standing.OVER;
                    return new Owner(standing, row.getBoolean("counted") || (open && row.getBoolean("submitted")));
                });
        return owner == null ? Owner.NONE : owner;
    }
}
