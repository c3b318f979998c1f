package dev.semel.store;

import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The idempotency record of an identity, with the state of its task.
 *
 * @param identity tenant, scope and key
 * @param taskId the task that holds the identity
 * @param type its task type
 * @param inputHash the hash of the compared input
 * @param run the number of tasks created under this identity
 * @param lineage the id of the first task that this one continues
 * @param createdAt when the task was created
 * @param expiresAt when the window ends; ignored while the task is open
 * @param windowPassed whether the window has passed by the store's clock
 * @param state the state of the task, remembered here if its data was deleted
 * @param finishedAt when the task ended, or null while it is open
 * @param dataGone whether the task's data is no longer stored and only this record is left
 * @param duplicates the number of submissions that were answered with this task, as far as they were counted
 * @param lastDuplicateAt when the newest of them was counted, or null if there was none
 */
public record KeyRecord(
        Identity identity,
        TaskId taskId,
        String type,
        InputHash inputHash,
        int run,
        TaskId lineage,
        Instant createdAt,
        Instant expiresAt,
        boolean windowPassed,
        TaskState state,
        @Nullable Instant finishedAt,
        boolean dataGone,
        long duplicates,
        @Nullable Instant lastDuplicateAt) {}
