package dev.semel.store;

import dev.semel.task.TaskState;
import org.jspecify.annotations.Nullable;

/**
 * What follows from a change of a task's state for others and for what is kept of the task. The rule is pure, and every store
 * calls it in the step that changes the state.
 *
 * @param wakesSuccessor whether the task that replaced this one, and waits for its end, becomes pending
 * @param freesMutex whether one of the tasks that wait for this task's mutex becomes pending: the one that is due first, and of
 *     several the one that was created first
 * @param freesPlace whether a queue with limits may give another task, so that its listeners are notified
 * @param strips whether the task's input and result are deleted at once
 * @param forgetsEffects whether the effects of its lineage are deleted at once, unless another task could continue it
 * @param deadLetterQueue the queue that receives a {@link DeadLetter} of the task, or null for none
 */
public record Consequences(
        boolean wakesSuccessor,
        boolean freesMutex,
        boolean freesPlace,
        boolean strips,
        boolean forgetsEffects,
        @Nullable String deadLetterQueue) {

    /**
     * Applies the rule.
     *
     * @param before the state of the task until now
     * @param after its state from now on
     * @param settings the settings of its queue
     * @return what follows
     */
    public static Consequences of(TaskState before, TaskState after, QueueSettings settings) {
        boolean ends = before.isOpen() && !after.isOpen();
        boolean stops = before == TaskState.RUNNING && after != TaskState.RUNNING;
        boolean strips = ends && !after.isDead() && settings.keepsNothing();
        return new Consequences(
                // The successor of a running task waits, and that of a workflow that waits itself: others end when they
                // are replaced.
                ends,
                // A pending task was perhaps the one that was woken to take the mutex next.
                stops || (before == TaskState.PENDING && ends),
                stops && settings.isLimited(),
                strips,
                strips && after == TaskState.COMPLETED,
                ends && after.isDead() ? settings.deadLettersTo() : null);
    }
}
