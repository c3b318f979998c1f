package dev.semel.store;

import dev.semel.task.EffectId;
import dev.semel.task.Lease;
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

/** The laws of effects, E1 to E10, for {@link InMemoryTaskStore}. */
final class MemoryEffects {

    private final MemoryTables tables;
    private final NavigableMap<EffectId, StoredEffect> effects = new TreeMap<>();

    MemoryEffects(MemoryTables tables) {
        this.tables = tables;
    }

    Applied intend(Transition.Intend move, Instant now) {
        StoredTask task = tables.find(move.lease().taskId());
        if (task == null) {
            return Applied.NOT_FOUND;
        }
        return isRunning(move.lease())
                ? save(StoredEffect.intend(effects.get(move.effect()), move, now))
                : Applied.STALE;
    }

    Applied conclude(Transition.Conclude move, Instant now) {
        StoredEffect effect = effects.get(move.effect());
        return save(StoredEffect.conclude(effect, move, isRunning(move.lease()), now));
    }

    /** Notes that a task parks because of an effect; tells whether it is to wait. */
    boolean park(Transition.Park move) {
        StoredEffect parked = StoredEffect.parked(effects.get(move.effect()), move);
        if (parked != null) {
            effects.put(parked.id(), parked);
        }
        return parked != null;
    }

    /** Notes what a person says; the task is not touched here. */
    StoredEffect.Change resolve(Transition.Resolve move, Instant now) {
        StoredEffect effect = effects.get(move.effect());
        StoredEffect.Standing standing = effect == null
                ? StoredEffect.Standing.OVER
                : standing(tables.find(effect.by().taskId()), effect.by());
        StoredEffect.Change change = StoredEffect.resolve(effect, move, standing, now);
        save(change);
        return change;
    }

    private static StoredEffect.Standing standing(@Nullable StoredTask task, Lease by) {
        if (task == null || !task.state().isOpen()) {
            return StoredEffect.Standing.OVER;
        }
        if (task.attempt() == by.attempt() && task.state() == TaskState.RUNNING) {
            return StoredEffect.Standing.AT_IT;
        }
        return task.attempt() == by.attempt() && task.parked()
                ? StoredEffect.Standing.PARKED
                : StoredEffect.Standing.OPEN;
    }

    private Applied save(StoredEffect.Change change) {
        if (change.next() != null) {
            effects.put(change.next().id(), change.next());
        }
        return change.answer();
    }

    private boolean isRunning(Lease lease) {
        StoredTask task = tables.find(lease.taskId());
        return task != null && task.state() == TaskState.RUNNING && task.attempt() == lease.attempt();
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
                        .map(effect -> seen(effect, now))
                        .filter(effect ->
                                query.states().isEmpty() || query.states().contains(effect.state()))
                        .limit(query.limit())
                        .toList();
        return new EffectPage(
                page, page.size() < query.limit() ? null : page.getLast().id());
    }

    private EffectRecord seen(StoredEffect effect, Instant now) {
        return effect.seen(isRunning(effect.by()), now);
    }

    /** Forgets the effects of a lineage if nothing can continue it any more. */
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

    /** Forgets the effects of a task whose data goes with its completion, unless another one could go on with them. */
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
