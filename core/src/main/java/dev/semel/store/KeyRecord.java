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
 * @param inputHash the hash of what is compared
 * @param run how many tasks were made under this identity
 * @param lineage the id of the first task that this one continues
 * @param createdAt when the task was made
 * @param expiresAt when the window ends; means nothing while the task is open
 * @param windowPassed whether the window has passed by the store's clock
 * @param state the state of the task, remembered here if its data has gone
 * @param finishedAt when the task ended, or null while it is open
 * @param dataGone whether the task's data is no longer stored and this is all that is left
 * @param duplicates how many submissions were answered with this task instead of making one, as far as that was written
 * @param lastDuplicateAt when the newest of them was written, or null if there was none
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
