package dev.semel;

import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Resolution;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.InvalidInput;
import dev.semel.task.Json;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import dev.semel.task.TaskNotFound;
import java.util.List;

/** Operations on effects: look up the effects of handlers, and resolve effects with unknown outcome. */
public final class EffectOperations {

    private final TaskStore store;

    EffectOperations(TaskStore store) {
        this.store = store;
    }

    /** The outcome of a resolution. */
    public enum Resolving {
        /** The resolution is recorded, now or before. A parked task continues, or has failed if it was given up. */
        RESOLVED,
        /** The attempt that intended the effect still runs, or the resolution gives up what no task has left to a person. */
        UNDER_WAY,
        /**
         * The effect has a known outcome, or another attempt has changed it since it was looked up. Nothing changed.
         */
        CHANGED
    }

    /**
     * Returns the effects of a task's lineage, including those recorded by earlier runs.
     *
     * @param id the task
     * @return its effects, sorted by name and index
     * @throws TaskNotFound if there is no such task
     */
    public List<EffectRecord> of(TaskId id) {
        Task task = store.find(List.of(Limits.notNull("task id", id))).get(id);
        if (task == null) {
            throw new TaskNotFound("There is no task " + id + ", or its data is no longer stored.", id);
        }
        return store.effects(List.of(task.lineage())).getOrDefault(task.lineage(), List.of());
    }

    /**
     * Lists effects, oldest lineage first.
     *
     * @param query the filter
     * @return a page of effects
     */
    public EffectPage list(EffectQuery query) {
        return store.effects(Limits.notNull("query", query));
    }

    /**
     * Resolves an effect with unknown outcome.
     *
     * @param effect the effect, as it was looked up
     * @param resolution the outcome, who reports it, and why
     * @return whether the resolution is recorded
     * @throws InvalidInput if the result is not valid JSON
     */
    public Resolving resolve(EffectRecord effect, Resolution resolution) {
        Limits.notNull("effect", effect);
        Limits.notNull("resolution", resolution);
        if (resolution.result() != null) {
            Json.parse(resolution.result());
        }
        Operated answer = store.operate(List.of(new Operation.Resolve(effect.id(), effect.by(), resolution)))
                .getFirst();
        return switch (answer) {
            case APPLIED -> Resolving.RESOLVED;
            case HELD -> Resolving.UNDER_WAY;
            case STALE, NOT_FOUND, SUPERSEDED, CANCEL_REQUESTED, CIRCLE -> Resolving.CHANGED;
        };
    }
}
