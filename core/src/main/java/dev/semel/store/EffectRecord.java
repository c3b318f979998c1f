package dev.semel.store;

import dev.semel.task.AttemptId;
import dev.semel.task.EffectId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An effect, as the ledger shows it.
 *
 * @param id its id
 * @param by the attempt that last recorded something about it
 * @param state its state
 * @param intendedAt when it was first intended, or first intended after it was known not to be done: from then on the provider
 *     may know its token
 * @param windowEnd until when the provider knows its token, or null if that is not known
 * @param windowPassed whether that time has passed, by the store's clock
 * @param settledAt when its outcome was recorded, or null without one
 * @param how how its outcome is known, or null without one
 * @param result its result in JSON, or null
 * @param note why nothing happened, or why the task was parked; or null
 * @param resolution the last resolution by a person, or null
 */
public record EffectRecord(
        EffectId id,
        AttemptId by,
        EffectState state,
        Instant intendedAt,
        @Nullable Instant windowEnd,
        boolean windowPassed,
        @Nullable Instant settledAt,
        EffectOutcome.@Nullable How how,
        @Nullable String result,
        @Nullable String note,
        @Nullable Resolution resolution) {

    /** {@return what identifies the effect and its state, without the result} */
    @Override
    public String toString() {
        return "EffectRecord[" + id + ", by=" + by + ", state=" + state + ", intendedAt=" + intendedAt + ", windowEnd="
                + windowEnd + ", settledAt=" + settledAt + ", how=" + how + "]";
    }
}
