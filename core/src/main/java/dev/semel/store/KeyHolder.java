package dev.semel.store;

import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Instant;

/**
 * The holder of a key, as far as operations depend on it, and the rule of releasing the key. The rule is pure, and every store
 * calls it inside its atomic section.
 *
 * @param taskId the task that the key's record names
 * @param state its state; if the task's data was deleted, the state in the record
 * @param expiresAt when the record's window ends
 */
public record KeyHolder(TaskId taskId, TaskState state, Instant expiresAt) {

    /**
     * Returns whether the window has passed, so that the key is free once no task of it is open.
     *
     * @param now the store's time
     * @return whether it has passed
     */
    public boolean windowPassed(Instant now) {
        return !now.isBefore(expiresAt);
    }

    /**
     * Decides about the release of this key.
     *
     * @param expected the task that the key is expected to belong to
     * @param formerOpen whether a replaced task of the key still runs
     * @return {@link Operated#APPLIED} if the store is to remove the record; with any other answer nothing changes
     */
    public Operated release(TaskId expected, boolean formerOpen) {
        if (!taskId.equals(expected)) {
            return Operated.SUPERSEDED;
        }
        return state.isOpen() || formerOpen ? Operated.HELD : Operated.APPLIED;
    }

    /**
     * Decides about the release of a key that has no record. Nothing changes.
     *
     * @param wasIts whether the task that the key is expected to belong to is stored and was submitted with this key
     * @return the answer
     */
    public static Operated releaseFree(boolean wasIts) {
        return wasIts ? Operated.APPLIED : Operated.NOT_FOUND;
    }
}
