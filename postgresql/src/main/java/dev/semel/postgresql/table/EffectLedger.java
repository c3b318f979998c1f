package dev.semel.postgresql.table;

import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.StoredEffect;
import dev.semel.store.StoredEffect.Change;
import dev.semel.task.AttemptId;
import dev.semel.task.EffectId;
import dev.semel.task.TaskId;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The ledger of effects, as settlements change it. The rules are in {@link StoredEffect}; this class takes the locks under which
 * they are applied.
 *
 * <p>An intent, a referral or an outcome first takes a shared lock on the row of its running task, so that the task cannot be claimed before
 * this transaction has ended: either the intent is rejected, or the next attempt sees it. A change of an existing effect locks
 * its row.
 */
public final class EffectLedger {

    // Sorted, because two batches that lock in different orders deadlock.
    private static final String HOLD_LEASES = """
            SELECT r.task, r.attempt FROM unnest(?, ?) AS m (task, attempt)
            CROSS JOIN LATERAL (
              SELECT x.task, x.attempt FROM semel.running x
              WHERE x.task = m.task AND x.attempt = m.attempt LIMIT 1 FOR SHARE) r
            """;

    private static final String TASKS = "SELECT id FROM semel.task WHERE id = ANY (?)";

    // A lineage without a task, and without a tombstone from which one could be made, cannot be continued.
    private static final String FORGET = """
            DELETE FROM semel.effect e
            WHERE e.lineage = ANY (?)
              AND (SELECT 1 FROM semel.task t WHERE t.id = e.lineage LIMIT 1) IS NULL
              AND (SELECT 1 FROM semel.task t WHERE t.lineage = e.lineage LIMIT 1) IS NULL
              AND (SELECT 1 FROM semel.record r
                WHERE coalesce(r.lineage, r.task) = e.lineage AND r.state IS NOT NULL AND r.state <> 'completed'
                LIMIT 1) IS NULL
            """;

    // The word is that of StoredEffect.
    private static final String ERASE_UNLESS_STORED = """
            UPDATE semel.effect e
            SET result = NULL, note = NULL, reason = CASE WHEN e.reason IS NULL THEN NULL ELSE 'erased' END
            WHERE e.lineage = ?
              AND (SELECT 1 FROM semel.task t WHERE t.id = e.lineage LIMIT 1) IS NULL
              AND (SELECT 1 FROM semel.task t WHERE t.lineage = e.lineage LIMIT 1) IS NULL
            """;

    private static final String FORGET_COMPLETED = """
            DELETE FROM semel.effect e USING unnest(?) AS m (task)
            CROSS JOIN LATERAL (
              SELECT x.id, coalesce(x.lineage, x.id) AS lineage FROM semel.task x WHERE x.id = m.task LIMIT 1) own
            WHERE e.lineage = ANY (ARRAY[own.lineage])
              AND (SELECT 1 FROM semel.task t WHERE t.id = e.lineage AND t.id <> own.id LIMIT 1) IS NULL
              AND (SELECT 1 FROM semel.task t WHERE t.lineage = e.lineage AND t.id <> own.id LIMIT 1) IS NULL
            """;

    private final Transaction tx;

    public EffectLedger(Transaction tx) {
        this.tx = tx;
    }

    /** Records intents, referrals and outcomes, in order. */
    public List<Settled> apply(List<Settlement> settlements) throws SQLException {
        Set<AttemptId> running = hold(settlements);
        Map<EffectId, StoredEffect> effects = EffectRows.lock(
                tx, settlements.stream().map(EffectLedger::effect).toList());
        Map<EffectId, StoredEffect> changed = new LinkedHashMap<>();
        List<Settled> answers = new ArrayList<>(settlements.size());
        List<Integer> rejected = new ArrayList<>();
        for (Settlement settlement : settlements) {
            StoredEffect effect = effects.get(effect(settlement));
            boolean current = running.contains(settlement.lease().attemptId());
            Change<Settled> change = null;
            if (settlement instanceof Settlement.Conclude conclude) {
                change = StoredEffect.conclude(effect, conclude, current, tx.nowInstant());
            } else if (current) {
                change = settlement instanceof Settlement.Refer refer
                        ? StoredEffect.refer(effect, refer)
                        : StoredEffect.intend(effect, (Settlement.Intend) settlement, tx.nowInstant());
            } else {
                rejected.add(answers.size());
            }
            if (change != null && change.next() != null) {
                effects.put(change.next().id(), change.next());
                changed.put(change.next().id(), change.next());
            }
            answers.add(change == null ? Settled.STALE : change.answer());
        }
        EffectRows.save(tx, changed.values());
        notFound(settlements, rejected, answers);
        return answers;
    }

    private static EffectId effect(Settlement settlement) {
        return switch (settlement) {
            case Settlement.Intend intend -> intend.effect();
            case Settlement.Refer refer -> refer.effect();
            case Settlement.Conclude conclude -> conclude.effect();
            case Settlement.Extend extend -> throw new IllegalStateException("An extension has no effect");
            case Settlement.Ending ending -> throw new IllegalStateException("An end is no settlement of an effect");
            case Settlement.Advance advance -> throw new IllegalStateException("An advance has no effect");
        };
    }

    /** Answers rejected intents of tasks that do not exist. */
    private void notFound(List<Settlement> settlements, List<Integer> rejected, List<Settled> answers)
            throws SQLException {
        if (rejected.isEmpty()) {
            return;
        }
        Set<TaskId> there = new HashSet<>(tx.sql(TASKS)
                .ids(rejected.stream()
                        .map(i -> settlements.get(i).lease().taskId())
                        .toList())
                .list(row -> SqlStatement.id(row, "id")));
        for (int i : rejected) {
            if (!there.contains(settlements.get(i).lease().taskId())) {
                answers.set(i, Settled.NOT_FOUND);
            }
        }
    }

    /** Returns the running attempts among these, and keeps them from being claimed until this transaction ends. */
    private Set<AttemptId> hold(List<? extends Settlement> settlements) throws SQLException {
        List<AttemptId> sorted = settlements.stream()
                .map(settlement -> settlement.lease().attemptId())
                .distinct()
                .sorted(Comparator.comparing(AttemptId::taskId))
                .toList();
        return new HashSet<>(tx.sql(HOLD_LEASES)
                .ids(sorted.stream().map(AttemptId::taskId).toList())
                .ints(sorted.stream().map(AttemptId::attempt).toList())
                .list(row -> {
                    TaskId id = SqlStatement.id(row, "task");
                    tx.lockedRunning(id);
                    return new AttemptId(id, row.getInt("attempt"));
                }));
    }

    /** Records why tasks are parked, and returns those that have to wait. */
    public Set<TaskId> park(List<Settlement.Park> settlements) throws SQLException {
        if (settlements.isEmpty()) {
            return Set.of();
        }
        Set<AttemptId> running = hold(settlements);
        Map<EffectId, StoredEffect> effects = EffectRows.lock(
                tx, settlements.stream().map(Settlement.Park::effect).toList());
        Set<TaskId> waiting = new HashSet<>();
        List<StoredEffect> changed = new ArrayList<>();
        for (Settlement.Park settlement : settlements) {
            StoredEffect parked = running.contains(settlement.lease().attemptId())
                    ? StoredEffect.parked(effects.get(settlement.effect()), settlement)
                    : null;
            if (parked != null) {
                changed.add(parked);
                waiting.add(settlement.lease().taskId());
            }
        }
        EffectRows.save(tx, changed);
        return waiting;
    }

    /** Deletes the effects of the lineages that cannot be continued any more. */
    public static void forget(Transaction tx, Collection<TaskId> lineages) throws SQLException {
        if (!lineages.isEmpty()) {
            tx.sql(FORGET).ids(lineages).update();
        }
    }

    /** Deletes what handlers and people wrote about the effects of a lineage, if no task of it is stored. */
    public static void eraseUnlessStored(Transaction tx, TaskId lineage) throws SQLException {
        tx.sql(ERASE_UNLESS_STORED).with(lineage).update();
    }

    /** Deletes the effects of completed tasks whose data is deleted with their completion. */
    static void forgetWith(Transaction tx, Collection<TaskId> completed) throws SQLException {
        if (!completed.isEmpty()) {
            tx.sql(FORGET_COMPLETED).ids(completed).update();
        }
    }
}
