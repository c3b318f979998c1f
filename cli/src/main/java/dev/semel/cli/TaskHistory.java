package dev.semel.cli;

import dev.semel.store.Attempt;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A task with all that its attempts did, as people look at it.
 *
 * @param task the task
 * @param attempts its attempts, oldest first
 * @param effects the effects of its lineage, in the order in which they were intended
 * @param others those tasks of its lineage that dealt with any of the effects last, as far as they are stored
 */
record TaskHistory(Task task, List<Attempt> attempts, List<EffectRecord> effects, Map<TaskId, Task> others) {

    private static final Comparator<EffectRecord> BY_TIME =
            Comparator.comparing(EffectRecord::intendedAt).thenComparing(EffectRecord::id);

    TaskHistory {
        effects = effects.stream().sorted(BY_TIME).toList();
    }

    /** Reads it. */
    static TaskHistory of(TaskStore store, Task task) {
        List<EffectRecord> effects = store.effects(List.of(task.lineage())).getOrDefault(task.lineage(), List.of());
        return of(store, task, store.attempts(task.id()), effects);
    }

    /** Puts it together from what was read before, and reads what is missing. */
    static TaskHistory of(TaskStore store, Task task, List<Attempt> attempts, List<EffectRecord> effects) {
        List<TaskId> others = effects.stream()
                .map(effect -> effect.by().taskId())
                .filter(id -> !id.equals(task.id()))
                .distinct()
                .toList();
        return new TaskHistory(task, attempts, effects, others.isEmpty() ? Map.of() : store.find(others));
    }

    /**
     * The effect because of which the task is parked. It may also be waiting for a mutex some time after it was parked; then
     * the effect has an outcome, or whoever gave it up had the last word.
     */
    Optional<EffectRecord> parkedFor() {
        if (task.state() != TaskState.WAITING || attempts.isEmpty()) {
            return Optional.empty();
        }
        Attempt last = attempts.getLast();
        String reason = last.error();
        if (last.outcome() != Attempt.Outcome.PARKED
                || reason == null
                || !reason.equals(task.progress().lastError())) {
            return Optional.empty();
        }
        Lease left = new Lease(task.id(), last.number());
        return effects.stream()
                .filter(effect -> effect.state() == EffectState.UNKNOWN
                        && effect.by().equals(left)
                        && reason.equals(effect.note()))
                .findFirst();
    }
}
