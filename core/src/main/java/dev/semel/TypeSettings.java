package dev.semel;

import dev.semel.task.IdentityStrategy;
import dev.semel.task.JsonPointer;
import dev.semel.task.RetryPolicy;
import dev.semel.task.ReusePolicy;
import dev.semel.task.Scope;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a task type. If a setting is null, the type's code applies.
 *
 * @param queue the queue of submissions that do not set one
 * @param identity the identity strategy
 * @param scope the scope of keys of submissions that do not set one
 * @param reuse the reuse policy
 * @param idempotencyTtl the window of records
 * @param ignoredFields the fields that are ignored when inputs are compared
 * @param retry the retry policy
 * @param timeout how long one attempt may run
 * @param priority the priority of submissions that do not set one
 * @param timeLimit how long a task may take as a whole, of submissions that do not set it
 * @param startBy how long a task may wait for its first attempt, of submissions that do not set it
 */
public record TypeSettings(
        @Nullable String queue,
        @Nullable IdentityStrategy identity,
        @Nullable Scope scope,
        @Nullable ReusePolicy reuse,
        @Nullable Duration idempotencyTtl,
        @Nullable List<JsonPointer> ignoredFields,
        @Nullable RetryPolicy retry,
        @Nullable Duration timeout,
        @Nullable Integer priority,
        @Nullable Duration timeLimit,
        @Nullable Duration startBy) {

    /** Empty settings. */
    public static final TypeSettings NONE =
            new TypeSettings(null, null, null, null, null, null, null, null, null, null, null);
}
