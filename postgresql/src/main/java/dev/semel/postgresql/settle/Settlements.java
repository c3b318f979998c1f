package dev.semel.postgresql.settle;

import dev.semel.postgresql.table.EffectLedger;
import dev.semel.postgresql.table.SharedLeases;
import dev.semel.postgresql.table.TaskLocker;
import dev.semel.postgresql.transaction.LockKind;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.RejectedAdvances;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.task.TaskId;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;

/** Settles the batch of a worker, in which outcomes and intents of effects are mixed with ends, with few statements. */
public final class Settlements {

    private final Transaction tx;
    private final SharedLeases leases;
    private final NewSteps steps;

    /**
     * Settles in one transaction.
     *
     * @param leases the shared leases of the settlements, which this transaction has locked at its beginning
     * @param steps the steps that advances among the settlements start
     */
    public Settlements(Transaction tx, SharedLeases leases, NewSteps steps) {
        this.tx = tx;
        this.leases = leases;
        this.steps = steps;
    }

    /**
     * Applies settlements of which each task has any number about its effects, at most one advance that {@link AdvanceBatch#isPossible}, and then at most
     * one that ends or extends its attempt.
     */
    public List<Settled> settle(List<Settlement> settlements) throws SQLException {
        List<Settlement> effects = new ArrayList<>();
        List<Settlement.Advance> advances = new ArrayList<>();
        List<Settlement> others = new ArrayList<>();
        for (Settlement settlement : settlements) {
            if (settlement instanceof Settlement.Advance advance) {
                advances.add(advance);
            } else {
                (isOfEffect(settlement) ? effects : others).add(settlement);
            }
        }
        tx.locked(LockKind.LEASE);
        leases.takeOut(tx, shared(effects));
        leases.takeOut(tx, shared(advances));
        if (!advances.isEmpty() || lockInPasses(effects, others)) {
            SortedSet<TaskId> ids = new TreeSet<>();
            settlements.forEach(settlement -> ids.add(settlement.lease().taskId()));
            List<TaskId> unused = TaskLocker.running(tx, ids);
        }
        Map<TaskId, Settled> ofAdvances = advances.isEmpty() ? Map.of() : new AdvanceBatch(tx, advances).run(steps);
        Iterator<Settled> ofEffects = effects.isEmpty()
                ? Collections.emptyIterator()
                : new EffectLedger(tx).apply(effects).iterator();
        Map<TaskId, Settled> rejected = rejected(advances, ofAdvances, others);
        Map<TaskId, Settled> ofOthers = endOrExtend(
                rejected.isEmpty()
                        ? others
                        : others.stream()
                                .filter(settlement ->
                                        !rejected.containsKey(settlement.lease().taskId()))
                                .toList());
        ofOthers.putAll(rejected);
        return settlements.stream()
                .map(settlement -> isOfEffect(settlement)
                        ? ofEffects.next()
                        : Objects.requireNonNull((settlement instanceof Settlement.Advance ? ofAdvances : ofOthers)
                                .get(settlement.lease().taskId())))
                .toList();
    }

    private List<TaskId> shared(List<? extends Settlement> settlements) {
        return settlements.stream()
                .filter(settlement -> leases.sharedBy(settlement.lease()).isPresent())
                .map(settlement -> settlement.lease().taskId())
                .toList();
    }

    /** Returns the answers to ends that are not carried out because their advance was rejected. */
    private static Map<TaskId, Settled> rejected(
            List<Settlement.Advance> advances, Map<TaskId, Settled> answers, List<Settlement> others) {
        RejectedAdvances rejected = new RejectedAdvances();
        for (Settlement.Advance advance : advances) {
            rejected.note(
                    advance, Objects.requireNonNull(answers.get(advance.lease().taskId())));
        }
        Map<TaskId, Settled> ends = new HashMap<>();
        for (Settlement settlement : others) {
            rejected.answer(settlement)
                    .ifPresent(answer -> ends.put(settlement.lease().taskId(), answer));
        }
        return ends;
    }

    /** Applies the settlements of tasks that share a lease, then the others. */
    private Map<TaskId, Settled> endOrExtend(List<Settlement> settlements) throws SQLException {
        Map<TaskId, Settled> answers = new SharedLeaseSettler(tx, leases).apply(settlements);
        List<Settlement> others = settlements.stream()
                .filter(settlement -> !answers.containsKey(settlement.lease().taskId()))
                .toList();
        if (!others.isEmpty()) {
            answers.putAll(new RunningTaskSettler(tx).apply(others));
        }
        return answers;
    }

    /** Returns whether the rows of running tasks would be locked in several passes, each sorted by itself. */
    private static boolean lockInPasses(List<Settlement> effects, List<Settlement> others) {
        long extensions =
                others.stream().filter(Settlement.Extend.class::isInstance).count();
        boolean parks = others.stream().anyMatch(Settlement.Park.class::isInstance);
        return effects.size() + others.size() > 1
                && (parks
                        || (!effects.isEmpty() && !others.isEmpty())
                        || (extensions > 0 && extensions < others.size()));
    }

    static boolean isOfEffect(Settlement settlement) {
        return settlement instanceof Settlement.Intend
                || settlement instanceof Settlement.Refer
                || settlement instanceof Settlement.Conclude;
    }
}
