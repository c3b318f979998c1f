package dev.semel.store;

import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An idempotency record as {@link InMemoryTaskStore} keeps it.
 *
 * @param identity tenant, scope and key
 * @param taskId the task that holds the identity
 * @param type its task type
 * @param inputHash the hash of what is compared
 * @param run how many tasks were made under this identity
 * @param lineage the id of the first task that this one continues
 * @param createdAt when the task was made
 * @param expiresAt when the window ends
 * @param remembered how the task ended, once its data has gone; null as long as it is stored
 */
record StoredKey(
        Identity identity,
        TaskId taskId,
        String type,
        InputHash inputHash,
        int run,
        TaskId lineage,
        Instant createdAt,
        Instant expiresAt,
        @Nullable End remembered) {

    /**
     * How a task ended.
     *
     * @param state its last state
     * @param finishedAt when
     */
    record End(TaskState state, Instant finishedAt) {}

    /** The record that a task takes, with its window. */
    static StoredKey of(Task task, NewTask.KeyRequest key, Instant expiresAt) {
        return new StoredKey(
                key.identity(),
                task.id(),
                task.type(),
                key.inputHash(),
                task.run(),
                task.lineage(),
                task.createdAt(),
                expiresAt,
                null);
    }

    boolean windowPassed(Instant now) {
        return !now.isBefore(expiresAt);
    }

    StoredKey renewed(Instant newEnd) {
        return new StoredKey(identity, taskId, type, inputHash, run, lineage, createdAt, newEnd, remembered);
    }

    StoredKey remembering(TaskState state, Instant finishedAt) {
        return new StoredKey(
                identity, taskId, type, inputHash, run, lineage, createdAt, expiresAt, new End(state, finishedAt));
    }
}
