package dev.semel;

import dev.semel.store.Applied;
import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.Resolution;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.store.Transition;
import dev.semel.task.InvalidInput;
import dev.semel.task.Json;
import dev.semel.task.TaskId;
import dev.semel.task.TaskNotFound;
import java.util.List;

/** What people do about effects: look at what handlers did, and say what became of what nobody knows. */
public final class EffectOperations {

    private final TaskStore store;

    EffectOperations(TaskStore store) {
        this.store = store;
    }

    /** What became of a person's word about an effect. */
    public enum Resolving {
        /** It is recorded, now or before; a parked task goes on, or has failed if it was given up. */
        RESOLVED,
        /** The attempt that intended the effect still runs, or the task is to be given up and is not parked. */
        UNDER_WAY,
        /** The effect has an outcome, or another attempt has dealt with it since it was looked at; nothing changed. */
        CHANGED
    }

    /**
     * The effects of a task's lineage, those that earlier runs recorded included.
     *
     * @param id the task
     * @return its effects, in order of names and indexes
     * @throws TaskNotFound if there is no such task
     */
    public List<EffectRecord> of(TaskId id) {
        Task task = store.find(List.of(id)).get(id);
        if (task == null) {
            throw new TaskNotFound("There is no task " + id + ". It may have been cleaned away.", id);
        }
        return store.effects(List.of(task.lineage())).getOrDefault(task.lineage(), List.of());
    }

    /**
     * Lists effects, oldest lineage first.
     *
     * @param query which ones
     * @return a page of them
     */
    public EffectPage list(EffectQuery query) {
        return store.effects(query);
    }

    /**
     * Says what became of an effect whose outcome is unknown.
     *
     * @param effect the effect, as it was looked at
     * @param resolution what became of it, who says so, and why
     * @return what became of that
     * @throws InvalidInput if the result is no JSON
     */
    public Resolving resolve(EffectRecord effect, Resolution resolution) {
        if (resolution.result() != null) {
            Json.parse(resolution.result());
        }
        Applied answer = store.apply(List.of(new Transition.Resolve(effect.id(), effect.by(), resolution)))
                .getFirst();
        return switch (answer) {
            case APPLIED -> Resolving.RESOLVED;
            case HELD -> Resolving.UNDER_WAY;
            case STALE, NOT_FOUND, SUPERSEDED, SETTLED, TOO_LATE, CANCEL_REQUESTED, CIRCLE -> Resolving.CHANGED;
        };
    }
}
