package dev.semel.postgresql.settle;

import dev.semel.postgresql.table.EffectLedger;
import dev.semel.postgresql.table.SharedLeases;
import dev.semel.postgresql.table.TaskLocker;
import dev.semel.postgresql.transaction.LockKind;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.task.TaskId;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** Settles the batch of a worker, in which outcomes and intents of effects are mixed with ends, with few statements. */
public final class Settlements {

    private final Transaction tx;
    private final SharedLeases leases;

    /**
     * Settles in one transaction.
     *
     * @param leases the shared leases of the settlements, which this transaction has locked at its beginning
     */
    public Settlements(Transaction tx, SharedLeases leases) {
        this.tx = tx;
        this.leases = leases;
    }

    /** Returns the shared leases of settlements, which their transaction has to lock. */
    public static SharedLeases leases(List<Settlement> settlements) {
        return new SharedLeases(settlements.stream().map(Settlement::lease).toList());
    }

    /**
     * Returns the parts of a batch that are applied in one transaction each, in order. Each transaction takes its locks in one
     * order, so a part contains for each task any number of settlements of its effects, and then one that ends or extends its
     * attempt. Advances of workflows are apart from
     * all others; those that cannot be carried out together are alone.
     */
    public static List<List<Settlement>> parts(List<Settlement> batch) {
        List<List<Settlement>> parts = new ArrayList<>();
        Set<TaskId> met = new HashSet<>();
        for (Settlement settlement : batch) {
            TaskId task = settlement.lease().taskId();
            if (parts.isEmpty()
                    || met.contains(task)
                    || !fits(settlement, parts.getLast().getLast())) {
                parts.add(new ArrayList<>());
                met.clear();
            }
            parts.getLast().add(settlement);
            if (!isOfEffect(settlement)) {
                met.add(task);
            }
        }
        return parts;
    }

    /** Returns whether two settlements can be applied in one transaction. */
    private static boolean fits(Settlement one, Settlement other) {
        boolean advances = one instanceof Settlement.Advance;
        return advances == other instanceof Settlement.Advance
                && (!advances || (AdvanceBatch.isPossible(one) && AdvanceBatch.isPossible(other)));
    }

    /** Applies a batch. */
    public interface Application {
        List<Settled> apply(List<Settlement> batch);
    }

    /**
     * Applies a batch with its advances before its other settlements, so that it has few {@link #parts}, and returns the answers in the order of the
     * batch. The order matters only for the settlements of one task: a batch with two of these stays as it is.
     */
    public static List<Settled> ordered(List<Settlement> batch, Application application) {
        Set<TaskId> tasks = new HashSet<>();
        batch.forEach(settlement -> tasks.add(settlement.lease().taskId()));
        if (tasks.size() < batch.size() || batch.stream().noneMatch(Settlement.Advance.class::isInstance)) {
            return application.apply(batch);
        }
        List<Settlement> sorted = new ArrayList<>(batch);
        sorted.sort(Comparator.comparingInt(settlement ->
                AdvanceBatch.isPossible(settlement) ? 0 : settlement instanceof Settlement.Advance ? 1 : 2));
        Map<TaskId, Settled> answers = new HashMap<>();
        Iterator<Settled> next = application.apply(sorted).iterator();
        sorted.forEach(settlement -> answers.put(settlement.lease().taskId(), next.next()));
        return batch.stream()
                .map(settlement ->
                        Objects.requireNonNull(answers.get(settlement.lease().taskId())))
                .toList();
    }

    /** Applies one of the {@link #parts}. */
    public List<Settled> settle(List<Settlement> settlements) throws SQLException {
        List<Settlement> effects = new ArrayList<>();
        List<Settlement> others = new ArrayList<>();
        settlements.forEach(settlement -> (isOfEffect(settlement) ? effects : others).add(settlement));
        tx.locked(LockKind.LEASE);
        leases.takeOut(
                tx,
                effects.stream()
                        .filter(settlement ->
                                leases.sharedBy(settlement.lease()).isPresent())
                        .map(settlement -> settlement.lease().taskId())
                        .toList());
        if (lockInPasses(effects, others)) {
            SortedSet<TaskId> ids = new TreeSet<>();
            settlements.forEach(settlement -> ids.add(settlement.lease().taskId()));
            List<TaskId> unused = TaskLocker.running(tx, ids);
        }
        Iterator<Settled> ofEffects = effects.isEmpty()
                ? Collections.emptyIterator()
                : new EffectLedger(tx).apply(effects).iterator();
        Map<TaskId, Settled> ofOthers = endOrExtend(others);
        return settlements.stream()
                .map(settlement -> isOfEffect(settlement)
                        ? ofEffects.next()
                        : Objects.requireNonNull(ofOthers.get(settlement.lease().taskId())))
                .toList();
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

    private static boolean isOfEffect(Settlement settlement) {
        return settlement instanceof Settlement.Intend
                || settlement instanceof Settlement.Refer
                || settlement instanceof Settlement.Conclude;
    }
}
