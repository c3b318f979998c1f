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
 * What a configuration says of a task type. A setting that is null says nothing; then what the type's code says holds.
 *
 * @param queue the queue of submissions that name none
 * @param identity how the key is found when the caller gives none
 * @param scope the scope of the keys of submissions that name none
 * @param reuse what becomes of a submission whose identity has a task
 * @param idempotencyTtl how long records answer
 * @param ignoredFields the fields that do not count when inputs are compared
 * @param retry how often a task may fail and how long it waits in between
 * @param timeout how long one attempt may run
 * @param priority the priority of submissions that name none
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
        @Nullable Integer priority) {

    /** Settings that say nothing. */
    public static final TypeSettings NONE = new TypeSettings(null, null, null, null, null, null, null, null, null);
}
