package dev.semel.store;

import dev.semel.task.EffectId;
import dev.semel.task.Lease;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An effect, as the ledger knows it.
 *
 * @param id which one
 * @param by the attempt that dealt with it last
 * @param state what is known of it
 * @param intendedAt when it was intended for the first time since it was last known that nothing had happened: from then on
 *     the provider may know its token
 * @param windowEnd until when the provider knows its token, or null if nobody said
 * @param windowPassed whether that time has passed, by the store's clock
 * @param settledAt when its outcome was recorded, or null without one
 * @param how how its outcome is known, or null without one
 * @param result its result in JSON, or null
 * @param note why nothing happened, or why the task was parked; null if there is nothing to say
 * @param resolution what a person last said about it, or null
 */
public record EffectRecord(
        EffectId id,
        Lease by,
        EffectState state,
        Instant intendedAt,
        @Nullable Instant windowEnd,
        boolean windowPassed,
        @Nullable Instant settledAt,
        EffectOutcome.@Nullable How how,
        @Nullable String result,
        @Nullable String note,
        @Nullable Resolution resolution) {}
