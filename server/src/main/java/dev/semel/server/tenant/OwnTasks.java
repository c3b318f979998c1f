package dev.semel.server.tenant;

import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.EffectId;
import dev.semel.task.TaskId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Which tasks and lineages belong to a tenant. What was found once is remembered, because a task never changes its tenant. */
final class OwnTasks {

    /** A worker settles what it claimed shortly before, so a few thousand would do. */
    private static final int REMEMBERED = 50_000;

    private final TaskStore store;
    private final String tenant;
    /** The lineage of each task. */
    private final Map<TaskId, TaskId> own = new LinkedHashMap<>(1_024, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<TaskId, TaskId> eldest) {
            return size() > REMEMBERED;
        }
    };

    OwnTasks(TaskStore store, String tenant) {
        this.store = store;
        this.tenant = tenant;
    }

    boolean isOwn(Task task) {
        if (!task.tenant().equals(tenant)) {
            return false;
        }
        synchronized (own) {
            own.put(task.id(), task.lineage());
            own.put(task.lineage(), task.lineage());
        }
        return true;
    }

    /** Returns those of the ids that are tasks of the tenant. */
    Set<TaskId> tasks(Collection<TaskId> ids) {
        return new HashSet<>(lineagesOf(ids).keySet());
    }

    /** Returns the lineages of those of the ids that are tasks of the tenant. */
    Map<TaskId, TaskId> lineagesOf(Collection<TaskId> ids) {
        Map<TaskId, TaskId> found = new HashMap<>();
        List<TaskId> unknown = remembered(ids, found);
        if (!unknown.isEmpty()) {
            store.find(unknown).values().stream()
                    .filter(this::isOwn)
                    .forEach(task -> found.put(task.id(), task.lineage()));
        }
        return found;
    }

    /** Returns those of the ids that name a lineage of the tenant, also if the task that began it is no longer stored. */
    Set<TaskId> lineages(Collection<TaskId> ids) {
        Set<TaskId> found = tasks(ids);
        for (TaskId id : ids) {
            if (!found.contains(id) && hasEffects(id)) {
                found.add(id);
            }
        }
        return found;
    }

    // Effects are listed in the order of their ids, which begin with the lineage, and can be narrowed to a tenant.
    private boolean hasEffects(TaskId lineage) {
        UUID id = lineage.value();
        long low = id.getLeastSignificantBits() - 1;
        UUID before = new UUID(id.getMostSignificantBits() - (low == -1 ? 1 : 0), low);
        EffectQuery from = new EffectQuery(tenant, Set.of(), new EffectId(new TaskId(before), "z", 0), 1);
        EffectPage page = store.effects(from);
        return page.effects().stream().anyMatch(effect -> effect.id().lineage().equals(lineage));
    }

    private List<TaskId> remembered(Collection<TaskId> ids, Map<TaskId, TaskId> found) {
        List<TaskId> unknown = new ArrayList<>();
        synchronized (own) {
            for (TaskId id : ids) {
                TaskId lineage = own.get(id);
                if (lineage == null) {
                    unknown.add(id);
                } else {
                    found.put(id, lineage);
                }
            }
        }
        return unknown;
    }
}
