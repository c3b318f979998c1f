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
 * @param inputHash the hash of the compared input
 * @param run the number of tasks created under this identity
 * @param series the series that its next run belongs to
 * @param lineage the id of the first task that this one continues
 * @param createdAt when the task was created
 * @param expiresAt when the window ends
 * @param duplicates the number of submissions that were answered with the task
 * @param lastDuplicateAt when the newest of them was counted, or null if there was none
 * @param remembered how the task ended, once its data was deleted; null as long as it is stored
 */
record StoredKey(
        Identity identity,
        TaskId taskId,
        String type,
        InputHash inputHash,
        int run,
        TaskId series,
        TaskId lineage,
        Instant createdAt,
        Instant expiresAt,
        long duplicates,
        @Nullable Instant lastDuplicateAt,
        @Nullable End remembered) {

    /**
     * How a task ended.
     *
     * @param state its last state
     * @param finishedAt when it ended
     */
    record End(TaskState state, Instant finishedAt) {}

    /** The record that a task takes, with its window. */
    static StoredKey of(Task task, TaskId series, NewTask.KeyRequest key, Instant expiresAt) {
        return new StoredKey(
                key.identity(),
                task.id(),
                task.type(),
                key.inputHash(),
                task.run(),
                series,
                task.lineage(),
                task.createdAt(),
                expiresAt,
                0,
                null,
                null);
    }

    boolean windowPassed(Instant now) {
        return !now.isBefore(expiresAt);
    }

    StoredKey renewed(Instant newEnd) {
        return with(newEnd, duplicates, lastDuplicateAt, remembered);
    }

    StoredKey remembering(TaskState state, Instant finishedAt) {
        return with(expiresAt, duplicates, lastDuplicateAt, new End(state, finishedAt));
    }

    StoredKey counting(long more, Instant now) {
        return with(expiresAt, duplicates + more, now, remembered);
    }

    private StoredKey with(Instant end, long counted, @Nullable Instant lastCounted, @Nullable End howItEnded) {
        return new StoredKey(
                identity,
                taskId,
                type,
                inputHash,
                run,
                series,
                lineage,
                createdAt,
                end,
                counted,
                lastCounted,
                howItEnded);
    }
}
