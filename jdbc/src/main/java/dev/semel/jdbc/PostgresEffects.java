package dev.semel.jdbc;

import dev.semel.jdbc.PostgresEnds.Ended;
import dev.semel.store.Applied;
import dev.semel.store.Resolution;
import dev.semel.store.StoredEffect;
import dev.semel.store.StoredEffect.Change;
import dev.semel.store.StoredEffect.Standing;
import dev.semel.store.Transition;
import dev.semel.task.EffectId;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The ledger of effects. The rules are {@link StoredEffect}'s; here are the locks under which they are asked.
 *
 * <p>Whoever intends or concludes holds the row of its running task first, shared, so that nobody claims the task before this
 * transaction has ended: then either the intent is refused, or the next attempt sees it. Whoever changes an effect that is
 * there holds its row. A person's word locks the effect and then looks where its task stands; a park locks the effect before
 * it lets the task wait. So whichever comes second sees what the first one did.
 */
final class PostgresEffects {

    // Sorted, because two batches that lock in different orders deadlock.
    private static final String HOLD_LEASES = """
            SELECT r.task, r.attempt FROM unnest(?, ?) AS m (task, attempt)
            CROSS JOIN LATERAL (
              SELECT x.task, x.attempt FROM semel.running x
              WHERE x.task = m.task AND x.attempt = m.attempt LIMIT 1 FOR SHARE) r
            """;

    private static final String TASKS = "SELECT id FROM semel.task WHERE id = ANY (?)";

    private static final String LOCK = "SELECT " + PostgresEffectRows.COLUMNS + """
             FROM unnest(?, ?, ?) AS m (lineage, name, ordinal)
            CROSS JOIN LATERAL (
              SELECT * FROM semel.effect x
              WHERE x.lineage = m.lineage AND x.name = m.name AND x.ordinal = m.ordinal LIMIT 1 FOR UPDATE) e
            """;

    // Where the task stands whose attempt dealt with an effect last.
    private static final String STANDING = """
            SELECT EXISTS (SELECT 1 FROM semel.running WHERE task = ? AND attempt = ?),
              EXISTS (SELECT 1 FROM semel.waiting WHERE task = ? AND attempt = ? AND after IS NULL AND mutex IS NULL),
              EXISTS (SELECT 1 FROM semel.task t WHERE id = ? AND NOT EXISTS (SELECT 1 FROM semel.done d WHERE d.task = t.id))
            """;

    private static final String UNPARK = """
            WITH free AS (
              DELETE FROM semel.waiting WHERE task = ? AND attempt = ? AND after IS NULL AND mutex IS NULL
              RETURNING task, seq, lane, attempt, failures, vanished, priority
            )
            INSERT INTO semel.ready (task, seq, order_at, lane, attempt, failures, vanished, priority, suspect, mutex)
            SELECT f.task, f.seq, ? - f.priority * 60000::bigint, f.lane, f.attempt, f.failures, f.vanished, f.priority,
              f.vanished > 0, CASE WHEN t.mutex IS NOT NULL THEN
                (SELECT l.tenant || chr(31) || l.type || chr(31) || t.mutex FROM semel.lane l WHERE l.id = t.lane) END
            FROM free f
            CROSS JOIN LATERAL (SELECT x.lane, x.mutex FROM semel.task x WHERE x.id = f.task LIMIT 1) t
            RETURNING lane
            """;

    private static final String GIVE_UP = """
            WITH gone AS (
              DELETE FROM semel.waiting WHERE task = ? AND attempt = ? AND after IS NULL AND mutex IS NULL
              RETURNING task, lane, attempt, failures, vanished
            )
            INSERT INTO semel.done (task, finished_at, lane, attempt, failures, vanished, state, error)
            SELECT task, ?, lane, attempt, failures, vanished, 'failed', ? FROM gone
            RETURNING lane
            """;

    // Nothing continues a lineage that has no task, and no tombstone that could make one.
    private static final String FORGET = """
            DELETE FROM semel.effect e
            WHERE e.lineage = ANY (?)
              AND (SELECT 1 FROM semel.task t WHERE t.id = e.lineage LIMIT 1) IS NULL
              AND (SELECT 1 FROM semel.task t WHERE t.lineage = e.lineage LIMIT 1) IS NULL
              AND (SELECT 1 FROM semel.record r
                WHERE coalesce(r.lineage, r.task) = e.lineage AND r.state IS NOT NULL AND r.state <> 'completed'
                LIMIT 1) IS NULL
            """;

    private static final String FORGET_COMPLETED = """
            DELETE FROM semel.effect e USING unnest(?) AS m (task)
            CROSS JOIN LATERAL (
              SELECT x.id, coalesce(x.lineage, x.id) AS lineage FROM semel.task x WHERE x.id = m.task LIMIT 1) own
            WHERE e.lineage = ANY (ARRAY[own.lineage])
              AND (SELECT 1 FROM semel.task t WHERE t.id = e.lineage AND t.id <> own.id LIMIT 1) IS NULL
              AND (SELECT 1 FROM semel.task t WHERE t.lineage = e.lineage AND t.id <> own.id LIMIT 1) IS NULL
            """;

    private final PostgresTransaction tx;
    private final Set<TaskId> searched;

    /**
     * For one transaction.
     *
     * @param searched tasks that share no lease, or were taken out of it
     */
    PostgresEffects(PostgresTransaction tx, Set<TaskId> searched) {
        this.tx = tx;
        this.searched = searched;
    }

    /** Records intents and outcomes, in order. */
    List<Applied> apply(List<Transition.ByWorker> moves) throws SQLException {
        Set<Lease> running = hold(moves.stream().map(Transition.ByWorker::lease).toList());
        Map<EffectId, StoredEffect> effects =
                lock(moves.stream().map(PostgresEffects::effect).toList());
        Map<EffectId, StoredEffect> changed = new LinkedHashMap<>();
        List<Applied> answers = new ArrayList<>(moves.size());
        List<Integer> refused = new ArrayList<>();
        for (Transition.ByWorker move : moves) {
            StoredEffect effect = effects.get(effect(move));
            boolean current = running.contains(move.lease());
            Change change = null;
            if (move instanceof Transition.Conclude conclude) {
                change = StoredEffect.conclude(effect, conclude, current, tx.nowInstant());
            } else if (current) {
                change = StoredEffect.intend(effect, (Transition.Intend) move, tx.nowInstant());
            } else {
                refused.add(answers.size());
            }
            if (change != null && change.next() != null) {
                effects.put(change.next().id(), change.next());
                changed.put(change.next().id(), change.next());
            }
            answers.add(change == null ? Applied.STALE : change.answer());
        }
        PostgresEffectRows.save(tx, changed.values());
        notFound(moves, refused, answers);
        return answers;
    }

    private static EffectId effect(Transition.ByWorker move) {
        return switch (move) {
            case Transition.Intend intend -> intend.effect();
            case Transition.Conclude conclude -> conclude.effect();
            case Transition.Extend extend -> throw new IllegalStateException("An extension has no effect");
            case Transition.Ending ending -> throw new IllegalStateException("An end is no move of an effect");
        };
    }

    /** An intent of a task that is not there at all. */
    private void notFound(List<Transition.ByWorker> moves, List<Integer> refused, List<Applied> answers)
            throws SQLException {
        if (refused.isEmpty()) {
            return;
        }
        Set<TaskId> there = new HashSet<>(tx.sql(TASKS)
                .ids(refused.stream().map(i -> moves.get(i).lease().taskId()).toList())
                .list(row -> PostgresStatement.id(row, 1)));
        for (int i : refused) {
            if (!there.contains(moves.get(i).lease().taskId())) {
                answers.set(i, Applied.NOT_FOUND);
            }
        }
    }

    /** Keeps the tasks of those of these leases that are the newest from being claimed until this transaction ends. */
    private Set<Lease> hold(Collection<Lease> leases) throws SQLException {
        Set<Lease> held = held(leases);
        List<TaskId> others = leases.stream()
                .filter(lease -> !held.contains(lease))
                .map(Lease::taskId)
                .toList();
        if (!searched.containsAll(others)) {
            // In a lease with others, perhaps, that was claimed by another process.
            searched.addAll(others);
            throw new PostgresFailures.Race("it is not known which leases some tasks share");
        }
        return held;
    }

    private Set<Lease> held(Collection<Lease> leases) throws SQLException {
        List<Lease> sorted = leases.stream()
                .distinct()
                .sorted((a, b) -> a.taskId().compareTo(b.taskId()))
                .toList();
        return new HashSet<>(tx.sql(HOLD_LEASES)
                .ids(sorted.stream().map(Lease::taskId).toList())
                .ints(sorted.stream().map(Lease::attempt).toList())
                .list(row -> {
                    tx.lockedRunning(PostgresStatement.id(row, 1));
                    return new Lease(PostgresStatement.id(row, 1), row.getInt(2));
                }));
    }

    private Map<EffectId, StoredEffect> lock(Collection<EffectId> ids) throws SQLException {
        Set<EffectId> sorted = new TreeSet<>(ids);
        Map<EffectId, StoredEffect> locked = new HashMap<>();
        for (StoredEffect effect : tx.sql(LOCK)
                .ids(sorted.stream().map(EffectId::lineage).toList())
                .texts(sorted.stream().map(EffectId::name).toList())
                .ints(sorted.stream().map(EffectId::index).toList())
                .list(PostgresEffectRows::read)) {
            tx.locked(PostgresLock.EFFECT);
            locked.put(effect.id(), effect);
        }
        return locked;
    }

    /** Notes why tasks are parked; tells which of them are to wait. */
    Set<TaskId> park(List<Transition.Park> moves) throws SQLException {
        if (moves.isEmpty()) {
            return Set.of();
        }
        Set<Lease> running = hold(moves.stream().map(Transition.Park::lease).toList());
        Map<EffectId, StoredEffect> effects =
                lock(moves.stream().map(Transition.Park::effect).toList());
        Set<TaskId> waiting = new HashSet<>();
        List<StoredEffect> changed = new ArrayList<>();
        for (Transition.Park move : moves) {
            StoredEffect parked =
                    running.contains(move.lease()) ? StoredEffect.parked(effects.get(move.effect()), move) : null;
            if (parked != null) {
                changed.add(parked);
                waiting.add(move.lease().taskId());
            }
        }
        PostgresEffectRows.save(tx, changed);
        return waiting;
    }

    /** Notes what a person says, and lets a parked task go on or fail. */
    Applied resolve(Transition.Resolve move) throws SQLException {
        StoredEffect effect = lock(List.of(move.effect())).get(move.effect());
        Standing standing = effect == null ? Standing.OVER : standing(effect.by());
        Change change = StoredEffect.resolve(effect, move, standing, tx.nowInstant());
        StoredEffect next = change.next();
        if (next == null) {
            return change.answer();
        }
        PostgresEffectRows.save(tx, List.of(next));
        if (standing == Standing.PARKED) {
            if (move.resolution().verdict() == Resolution.Verdict.GIVE_UP) {
                giveUp(next.by(), move.givenUp());
            } else {
                Integer lane = tx.sql(UNPARK)
                        .with(next.by().taskId())
                        .with(next.by().attempt())
                        .with(tx.now())
                        .first(row -> row.getInt(1));
                tx.news().due(tx.lane(stillThere(lane)).queue());
            }
        }
        return change.answer();
    }

    private void giveUp(Lease by, String error) throws SQLException {
        Integer lane = tx.sql(GIVE_UP)
                .with(by.taskId())
                .with(by.attempt())
                .with(tx.now())
                .withText(PostgresTasks.storable(error))
                .first(row -> row.getInt(1));
        Ended dead = new Ended(by.taskId(), stillThere(lane), TaskState.FAILED, false, null);
        PostgresEnds.follow(tx, List.of(dead));
        PostgresSettling.tellDeadLetterQueues(tx, List.of(dead));
    }

    private static int stillThere(@Nullable Integer lane) throws SQLException {
        if (lane == null) {
            throw new PostgresFailures.Race("a parked task was cancelled or replaced at the same moment");
        }
        return lane;
    }

    private Standing standing(Lease by) throws SQLException {
        Standing standing = tx.sql(STANDING)
                .with(by.taskId())
                .with(by.attempt())
                .with(by.taskId())
                .with(by.attempt())
                .with(by.taskId())
                .first(row -> row.getBoolean(1)
                        ? Standing.AT_IT
                        : row.getBoolean(2) ? Standing.PARKED : row.getBoolean(3) ? Standing.OPEN : Standing.OVER);
        return standing == null ? Standing.OVER : standing;
    }

    /** Forgets the effects of those of these lineages that nothing can continue any more. */
    static void forget(PostgresTransaction tx, Collection<TaskId> lineages) throws SQLException {
        if (!lineages.isEmpty()) {
            tx.sql(FORGET).ids(lineages).update();
        }
    }

    /** Forgets the effects of completed tasks whose data goes with their completion. */
    static void forgetWith(PostgresTransaction tx, Collection<TaskId> completed) throws SQLException {
        if (!completed.isEmpty()) {
            tx.sql(FORGET_COMPLETED).ids(completed).update();
        }
    }
}
