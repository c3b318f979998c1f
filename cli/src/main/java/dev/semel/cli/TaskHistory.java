package dev.semel.cli;

import dev.semel.store.Attempt;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.AttemptId;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A task with its attempts and effects.
 *
 * @param task the task
 * @param attempts its attempts, oldest first
 * @param effects the effects of its lineage, in the order in which they were intended
 * @param others the other stored tasks of its lineage that were the last to work on one of the effects
 */
record TaskHistory(Task task, List<Attempt> attempts, List<EffectRecord> effects, Map<TaskId, Task> others) {

    private static final Comparator<EffectRecord> BY_TIME =
            Comparator.comparing(EffectRecord::intendedAt).thenComparing(EffectRecord::id);

    TaskHistory {
        effects = effects.stream().sorted(BY_TIME).toList();
    }

    /** Reads the history of a task. */
    static TaskHistory of(TaskStore store, Task task) {
        List<EffectRecord> effects = store.effects(List.of(task.lineage())).getOrDefault(task.lineage(), List.of());
        return of(store, task, store.attempts(task.id()), effects);
    }

    /** Builds the history from the given attempts and effects, and reads the rest. */
    static TaskHistory of(TaskStore store, Task task, List<Attempt> attempts, List<EffectRecord> effects) {
        List<TaskId> others = effects.stream()
                .map(effect -> effect.by().taskId())
                .filter(id -> !id.equals(task.id()))
                .distinct()
                .toList();
        return new TaskHistory(task, attempts, effects, others.isEmpty() ? Map.of() : store.find(others));
    }

    /**
     * Returns the effect because of which the task is parked. A waiting task may also wait for a mutex, some time after
     * it was parked; then the effect has an outcome or was given up.
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
        AttemptId left = new AttemptId(task.id(), last.number());
        return effects.stream()
                .filter(effect -> effect.state() == EffectState.UNKNOWN
                        && effect.by().equals(left)
                        && reason.equals(effect.note()))
                .findFirst();
    }
}
