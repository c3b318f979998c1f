package dev.semel.store;

import dev.semel.task.AttemptId;
import dev.semel.task.EffectId;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The laws of effects, E1 to E12, for {@link InMemoryTaskStore}. */
final class MemoryEffects {

    private final MemoryTables tables;
    private final NavigableMap<EffectId, StoredEffect> effects = new TreeMap<>();

    MemoryEffects(MemoryTables tables) {
        this.tables = tables;
    }

    Settled intend(Settlement.Intend settlement, Instant now) {
        StoredTask task = tables.find(settlement.lease().taskId());
        if (task == null) {
            return Settled.NOT_FOUND;
        }
        return isRunning(settlement.lease().attemptId())
                ? save(StoredEffect.intend(effects.get(settlement.effect()), settlement, now))
                : Settled.STALE;
    }

    Settled refer(Settlement.Refer settlement) {
        StoredTask task = tables.find(settlement.lease().taskId());
        if (task == null) {
            return Settled.NOT_FOUND;
        }
        return isRunning(settlement.lease().attemptId())
                ? save(StoredEffect.refer(effects.get(settlement.effect()), settlement))
                : Settled.STALE;
    }

    Settled conclude(Settlement.Conclude settlement, Instant now) {
        StoredEffect effect = effects.get(settlement.effect());
        return save(StoredEffect.conclude(
                effect, settlement, isRunning(settlement.lease().attemptId()), now));
    }

    /** Records that a task parks because of an effect; returns whether the task has to wait. */
    boolean park(Settlement.Park settlement) {
        StoredEffect parked = StoredEffect.parked(effects.get(settlement.effect()), settlement);
        if (parked != null) {
            effects.put(parked.id(), parked);
        }
        return parked != null;
    }

    /** Records a resolution; the caller changes the task. */
    StoredEffect.Change<Operated> resolve(Operation.Resolve operation, Instant now) {
        StoredEffect effect = effects.get(operation.effect());
        StoredTask task = effect == null ? null : tables.find(effect.by().taskId());
        StoredEffect.Standing standing = effect == null ? StoredEffect.Standing.OVER : standing(task, effect.by());
        boolean workflow = task != null && tables.flows().isAnswered(task);
        StoredEffect.Change<Operated> change = StoredEffect.resolve(effect, operation, standing, workflow, now);
        Operated unused = save(change);
        return change;
    }

    private static StoredEffect.Standing standing(@Nullable StoredTask task, AttemptId by) {
        return task == null
                ? StoredEffect.Standing.OVER
                : StoredEffect.Standing.of(task.state(), task.attempt() == by.attempt(), task.parked());
    }

    private <A> A save(StoredEffect.Change<A> change) {
        if (change.next() != null) {
            effects.put(change.next().id(), change.next());
        }
        return change.answer();
    }

    private boolean isRunning(AttemptId attempt) {
        StoredTask task = tables.find(attempt.taskId());
        return task != null && task.state() == TaskState.RUNNING && task.attempt() == attempt.attempt();
    }

    Map<TaskId, List<EffectRecord>> of(Collection<TaskId> lineages, Instant now) {
        Map<TaskId, List<EffectRecord>> found = new LinkedHashMap<>();
        for (TaskId lineage : lineages) {
            List<EffectRecord> ofLineage = new ArrayList<>();
            rowsOf(lineage).values().forEach(effect -> ofLineage.add(seen(effect, now)));
            if (!ofLineage.isEmpty()) {
                found.put(lineage, ofLineage);
            }
        }
        return found;
    }

    EffectPage list(EffectQuery query, Instant now) {
        List<EffectRecord> page = (query.after() == null ? effects : effects.tailMap(query.after(), false))
                .values().stream()
                        .filter(effect ->
                                query.tenant() == null || query.tenant().equals(tenantOf(effect)))
                        .map(effect -> seen(effect, now))
                        .filter(effect ->
                                query.states().isEmpty() || query.states().contains(effect.state()))
                        .limit(query.limit())
                        .toList();
        return new EffectPage(
                page, page.size() < query.limit() ? null : page.getLast().id());
    }

    /** Returns the tenant of an effect's lineage, from a task that is stored, or else from the record that can continue it. */
    private @Nullable String tenantOf(StoredEffect effect) {
        StoredTask last = tables.find(effect.by().taskId());
        if (last != null) {
            return last.task().tenant();
        }
        TaskId lineage = effect.id().lineage();
        for (StoredTask task : tables.all()) {
            if (task.task().lineage().equals(lineage)) {
                return task.task().tenant();
            }
        }
        for (StoredKey key : tables.keys()) {
            if (key.lineage().equals(lineage)) {
                return key.identity().tenant();
            }
        }
        return null;
    }

    private EffectRecord seen(StoredEffect effect, Instant now) {
        return effect.seen(isRunning(effect.by()), now);
    }

    /** Deletes the effects of a lineage if nothing can continue it any more. */
    void forgetUnlessContinued(TaskId lineage) {
        NavigableMap<EffectId, StoredEffect> rows = rowsOf(lineage);
        if (rows.isEmpty()) {
            return;
        }
        boolean stored =
                tables.all().stream().anyMatch(task -> task.task().lineage().equals(lineage));
        boolean named = tables.keys().stream()
                .anyMatch(key -> key.lineage().equals(lineage)
                        && !(key.remembered() != null && key.remembered().state() == TaskState.COMPLETED));
        if (!stored && !named) {
            rows.clear();
        }
    }

    /** Deletes what handlers and people wrote about the effects of a lineage, if no task of it is stored. */
    void eraseUnlessStored(TaskId lineage) {
        if (tables.all().stream().noneMatch(task -> task.task().lineage().equals(lineage))) {
            rowsOf(lineage).replaceAll((id, effect) -> effect.erased());
        }
    }

    /** Deletes the effects of a task whose data is deleted with its completion, unless another task could continue them. */
    void forgetWith(Task completed) {
        NavigableMap<EffectId, StoredEffect> rows = rowsOf(completed.lineage());
        boolean alone = rows.isEmpty()
                || tables.all().stream()
                        .map(StoredTask::task)
                        .noneMatch(task -> task.lineage().equals(completed.lineage())
                                && !task.id().equals(completed.id()));
        if (alone) {
            rows.clear();
        }
    }

    private NavigableMap<EffectId, StoredEffect> rowsOf(TaskId lineage) {
        // Names begin with a letter or digit, so they all lie between these two.
        return effects.subMap(first(lineage, "0"), true, first(lineage, "zz".repeat(50)), true);
    }

    private static EffectId first(TaskId lineage, String name) {
        return new EffectId(lineage, name, name.equals("0") ? 0 : EffectId.MAX_INDEX);
    }
}
