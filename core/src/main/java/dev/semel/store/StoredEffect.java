package dev.semel.store;

import dev.semel.task.AttemptId;
import dev.semel.task.EffectId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * An effect as stores keep it, and the rules by which settlements and operations change it. The rules are pure, and every store
 * calls them inside its atomic section, after it has read whether the settlement's lease is that of the newest attempt, which
 * runs.
 *
 * @param id its id
 * @param by the attempt that last recorded something about it
 * @param known what is recorded
 * @param intendedAt when it was first intended, or first intended after it was known not to be done
 * @param windowEnd until when the provider knows its token, or null
 * @param settledAt when its outcome was recorded, or null
 * @param how how its outcome is known, or null
 * @param result its result in JSON, or null
 * @param note why nothing happened, or why the task was parked, or null
 * @param resolution the last resolution by a person, or null; its result is null, because the effect has it
 */
public record StoredEffect(
        EffectId id,
        AttemptId by,
        Known known,
        Instant intendedAt,
        @Nullable Instant windowEnd,
        @Nullable Instant settledAt,
        EffectOutcome.@Nullable How how,
        @Nullable String result,
        @Nullable String note,
        @Nullable Resolution resolution) {

    /** What takes the place of the reason of a resolution that was erased. */
    public static final String ERASED = "erased";

    /** What is recorded of an effect. */
    public enum Known {
        /** It was intended; whether it happened is not recorded. */
        INTENDED,
        /** It happened. */
        DONE,
        /** It did not happen. */
        NOT_DONE
    }

    /**
     * A change of an effect.
     *
     * @param answer the answer to the request
     * @param next the effect from now on, or null if nothing changes
     * @param <A> the kind of answer
     */
    public record Change<A>(A answer, @Nullable StoredEffect next) {

        private static <A> Change<A> none(A answer) {
            return new Change<>(answer, null);
        }
    }

    /**
     * Returns this effect without what a handler or a person wrote: what happened stays known.
     *
     * @return the effect without its result, its note and the reason of its resolution
     */
    public StoredEffect erased() {
        return new StoredEffect(
                id,
                by,
                known,
                intendedAt,
                windowEnd,
                settledAt,
                how,
                null,
                null,
                resolution == null ? null : new Resolution(resolution.verdict(), null, resolution.by(), ERASED));
    }

    /**
     * The rules of an intent.
     *
     * @param effect the stored effect, or null if the effect was never intended
     * @param settlement the settlement; its lease is that of a running attempt
     * @param now the store's time
     * @return what it does
     */
    public static Change<Settled> intend(@Nullable StoredEffect effect, Settlement.Intend settlement, Instant now) {
        if (effect == null || effect.known == Known.NOT_DONE) {
            Instant end = windowEnd(settlement.window(), now);
            return new Change<>(
                    Settled.APPLIED,
                    new StoredEffect(
                            settlement.effect(),
                            settlement.lease().attemptId(),
                            Known.INTENDED,
                            now,
                            end,
                            null,
                            null,
                            null,
                            null,
                            effect == null ? null : effect.resolution));
        }
        if (effect.known == Known.DONE) {
            return Change.none(Settled.CONCLUDED);
        }
        if (effect.by.equals(settlement.lease().attemptId())) {
            return Change.none(Settled.APPLIED); // sent again
        }
        // The window of this attempt applies to the whole life of the token, which began with the first intent.
        Instant end =
                settlement.window() == null ? effect.windowEnd : windowEnd(settlement.window(), effect.intendedAt);
        if (end != null && !now.isBefore(end)) {
            return Change.none(Settled.TOO_LATE);
        }
        return new Change<>(
                Settled.APPLIED,
                new StoredEffect(
                        effect.id,
                        settlement.lease().attemptId(),
                        Known.INTENDED,
                        effect.intendedAt,
                        end,
                        null,
                        null,
                        null,
                        null,
                        effect.resolution));
    }

    /**
     * The rules of an outcome.
     *
     * @param effect the stored effect, or null if the effect was never intended
     * @param settlement the settlement
     * @param current whether its lease is that of a running attempt
     * @param now the store's time
     * @return what it does
     */
    public static Change<Settled> conclude(
            @Nullable StoredEffect effect, Settlement.Conclude settlement, boolean current, Instant now) {
        if (effect != null
                && effect.known != Known.INTENDED
                && effect.by.equals(settlement.lease().attemptId())) {
            // Recorded by this attempt and sent again; or resolved by a person, which is possible only after its end.
            return Change.none(
                    effect.known == known(settlement.outcome()) && effect.how == how(settlement.outcome())
                            ? Settled.APPLIED
                            : Settled.CONCLUDED);
        }
        if (!current) {
            return Change.none(Settled.STALE);
        }
        if (effect == null || effect.known != Known.INTENDED) {
            return Change.none(effect == null ? Settled.NOT_FOUND : Settled.CONCLUDED);
        }
        String result = settlement.outcome() instanceof EffectOutcome.Done done ? done.result() : null;
        String note = settlement.outcome() instanceof EffectOutcome.NotDone notDone ? notDone.reason() : null;
        return new Change<>(
                Settled.APPLIED,
                new StoredEffect(
                        effect.id,
                        settlement.lease().attemptId(),
                        known(settlement.outcome()),
                        effect.intendedAt,
                        effect.windowEnd,
                        now,
                        how(settlement.outcome()),
                        result,
                        note,
                        effect.resolution));
    }

    /**
     * The rules of parking a task because of an effect: the attempt ends in any case.
     *
     * @param effect the stored effect, or null if there is nothing
     * @param settlement the settlement; its lease is that of a running attempt
     * @return the effect if the task has to wait, because its outcome is unknown; null if the task continues, because the
     *     outcome was recorded meanwhile
     */
    public static @Nullable StoredEffect parked(@Nullable StoredEffect effect, Settlement.Park settlement) {
        return effect == null || effect.known != Known.INTENDED
                ? null
                : effect.left(settlement.lease().attemptId(), settlement.reason());
    }

    /**
     * The rules of referring an effect to a person.
     *
     * @param effect the stored effect, or null if the effect was never intended
     * @param settlement the settlement; its lease is that of a running attempt
     * @return what it does
     */
    public static Change<Settled> refer(@Nullable StoredEffect effect, Settlement.Refer settlement) {
        if (effect == null || effect.known != Known.INTENDED) {
            return Change.none(effect == null ? Settled.NOT_FOUND : Settled.CONCLUDED);
        }
        AttemptId attempt = settlement.lease().attemptId();
        return effect.by.equals(attempt) && settlement.reason().equals(effect.note)
                ? Change.none(Settled.APPLIED) // sent again
                : new Change<>(Settled.APPLIED, effect.left(attempt, settlement.reason()));
    }

    private StoredEffect left(AttemptId attempt, String reason) {
        return new StoredEffect(
                id, attempt, Known.INTENDED, intendedAt, windowEnd, null, null, null, reason, resolution);
    }

    /** The situation of the task whose attempt last recorded something about an effect. */
    public enum Standing {
        /** That attempt runs. */
        AT_IT,
        /** It is parked by that attempt. */
        PARKED,
        /** It is open in another way. */
        OPEN,
        /** It has ended, or is no longer stored. */
        OVER;

        /**
         * Returns the situation of a task.
         *
         * @param state its state
         * @param newest whether the attempt that last recorded something about the effect is its newest one
         * @param parked whether it is parked
         * @return the situation
         */
        public static Standing of(TaskState state, boolean newest, boolean parked) {
            if (!state.isOpen()) {
                return OVER;
            }
            if (newest && state == TaskState.RUNNING) {
                return AT_IT;
            }
            return newest && parked ? PARKED : OPEN;
        }
    }

    /**
     * The rules of a resolution.
     *
     * @param effect the stored effect, or null if there is nothing
     * @param operation the operation
     * @param standing the situation of its task
     * @param workflow whether its task is a workflow that has counters or is open, so that the resolution is an entry in its inbox
     * @param now the store's time
     * @return what it does to the effect. If that changes and the task is parked, the store changes the task as well; if the task is a workflow,
     *     the store adds {@link StoredFlow#resolved} to its inbox, unless an entry has that key
     */
    public static Change<Operated> resolve(
            @Nullable StoredEffect effect,
            Operation.Resolve operation,
            Standing standing,
            boolean workflow,
            Instant now) {
        if (effect == null) {
            return Change.none(Operated.NOT_FOUND);
        }
        Resolution resolution = operation.resolution();
        boolean repeated = resolution.isRepeatOf(effect.resolution);
        if (!effect.by.equals(operation.left())) {
            return Change.none(repeated ? Operated.APPLIED : Operated.STALE);
        }
        if (effect.known != Known.INTENDED) {
            return Change.none(
                    repeated && effect.how == EffectOutcome.How.RESOLVED ? Operated.APPLIED : Operated.STALE);
        }
        boolean givesUp = resolution.verdict() == Resolution.Verdict.GIVE_UP;
        if (givesUp && repeated && standing == Standing.OVER) {
            return Change.none(Operated.APPLIED);
        }
        boolean referred = workflow && effect.note != null;
        if (standing == Standing.AT_IT || (givesUp && standing == Standing.OPEN && !referred)) {
            return Change.none(Operated.HELD);
        }
        Known known = switch (resolution.verdict()) {
            case DONE -> Known.DONE;
            case NOT_DONE -> Known.NOT_DONE;
            case GIVE_UP -> Known.INTENDED;
        };
        return new Change<>(
                Operated.APPLIED,
                new StoredEffect(
                        effect.id,
                        effect.by,
                        known,
                        effect.intendedAt,
                        effect.windowEnd,
                        givesUp ? null : now,
                        givesUp ? null : EffectOutcome.How.RESOLVED,
                        resolution.result(),
                        effect.note,
                        resolution.withoutResult()));
    }

    private static @Nullable Instant windowEnd(@Nullable Duration window, Instant from) {
        return window == null ? null : from.plus(window).truncatedTo(ChronoUnit.MILLIS);
    }

    private static Known known(EffectOutcome outcome) {
        return switch (outcome) {
            case EffectOutcome.Done done -> Known.DONE;
            case EffectOutcome.NotDone notDone -> Known.NOT_DONE;
        };
    }

    private static EffectOutcome.How how(EffectOutcome outcome) {
        return switch (outcome) {
            case EffectOutcome.Done done -> done.how();
            case EffectOutcome.NotDone notDone -> notDone.how();
        };
    }

    /**
     * Returns the effect as callers see it.
     *
     * @param running whether the attempt that last recorded something about it still runs
     * @param now the store's time
     * @return the effect
     */
    public EffectRecord seen(boolean running, Instant now) {
        EffectState state = switch (known) {
            case INTENDED -> running ? EffectState.IN_PROGRESS : EffectState.UNKNOWN;
            case DONE -> EffectState.DONE;
            case NOT_DONE -> EffectState.NOT_DONE;
        };
        return new EffectRecord(
                id,
                by,
                state,
                intendedAt,
                windowEnd,
                windowEnd != null && !now.isBefore(windowEnd),
                settledAt,
                how,
                result,
                note,
                resolution);
    }
}
