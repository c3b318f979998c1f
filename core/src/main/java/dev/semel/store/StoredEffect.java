package dev.semel.store;

import dev.semel.task.EffectId;
import dev.semel.task.Lease;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * An effect as stores keep it, and the rules by which moves change it. The rules are pure and every store uses them inside
 * its atomic section, after it has found out whether the move's lease is that of the newest attempt and still runs.
 *
 * @param id which one
 * @param by the attempt that dealt with it last
 * @param known what is known for sure
 * @param intendedAt when it was intended first since it was last known that nothing had happened
 * @param windowEnd until when the provider knows its token, or null
 * @param settledAt when its outcome was recorded, or null
 * @param how how its outcome is known, or null
 * @param result its result in JSON, or null
 * @param note why nothing happened, or why the task was parked, or null
 * @param resolution what a person last said about it, or null; its result is null, because it is the effect's own
 */
public record StoredEffect(
        EffectId id,
        Lease by,
        Known known,
        Instant intendedAt,
        @Nullable Instant windowEnd,
        @Nullable Instant settledAt,
        EffectOutcome.@Nullable How how,
        @Nullable String result,
        @Nullable String note,
        @Nullable Resolution resolution) {

    /** What is known for sure. */
    public enum Known {
        /** It was intended; whether it happened is not recorded. */
        INTENDED,
        /** It happened. */
        DONE,
        /** It did not happen. */
        NOT_DONE
    }

    /**
     * What a move does to an effect.
     *
     * @param answer the answer to the move
     * @param next the effect from now on, or null if nothing changes
     */
    public record Change(Applied answer, @Nullable StoredEffect next) {

        private static Change none(Applied answer) {
            return new Change(answer, null);
        }
    }

    /**
     * The rules of an intent.
     *
     * @param effect what is kept, or null if the effect was never intended
     * @param move the move; its lease is that of a running attempt
     * @param now the store's time
     * @return what it does
     */
    public static Change intend(@Nullable StoredEffect effect, Transition.Intend move, Instant now) {
        if (effect == null || effect.known == Known.NOT_DONE) {
            Instant end = windowEnd(move.window(), now);
            return new Change(
                    Applied.APPLIED,
                    new StoredEffect(
                            move.effect(),
                            move.lease(),
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
            return Change.none(Applied.SETTLED);
        }
        if (effect.by.equals(move.lease())) {
            return Change.none(Applied.APPLIED); // sent again
        }
        // What this attempt says of the window holds for the token's whole life, which began with the first intent.
        Instant end = move.window() == null ? effect.windowEnd : windowEnd(move.window(), effect.intendedAt);
        if (end != null && !now.isBefore(end)) {
            return Change.none(Applied.TOO_LATE);
        }
        return new Change(
                Applied.APPLIED,
                new StoredEffect(
                        effect.id,
                        move.lease(),
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
     * @param effect what is kept, or null if the effect was never intended
     * @param move the move
     * @param current whether its lease is that of a running attempt
     * @param now the store's time
     * @return what it does
     */
    public static Change conclude(
            @Nullable StoredEffect effect, Transition.Conclude move, boolean current, Instant now) {
        if (effect != null && effect.known != Known.INTENDED && effect.by.equals(move.lease())) {
            // Recorded by this very attempt: sent again. Or a person was quicker, who may only be if it has ended.
            return Change.none(
                    effect.known == known(move.outcome()) && effect.how == how(move.outcome())
                            ? Applied.APPLIED
                            : Applied.SETTLED);
        }
        if (!current) {
            return Change.none(Applied.STALE);
        }
        if (effect == null || effect.known != Known.INTENDED) {
            return Change.none(effect == null ? Applied.NOT_FOUND : Applied.SETTLED);
        }
        String result = move.outcome() instanceof EffectOutcome.Done done ? done.result() : null;
        String note = move.outcome() instanceof EffectOutcome.NotDone notDone ? notDone.reason() : null;
        return new Change(
                Applied.APPLIED,
                new StoredEffect(
                        effect.id,
                        move.lease(),
                        known(move.outcome()),
                        effect.intendedAt,
                        effect.windowEnd,
                        now,
                        how(move.outcome()),
                        result,
                        note,
                        effect.resolution));
    }

    /**
     * The rules of parking a task because of an effect: the attempt ends in any case.
     *
     * @param effect what is kept, or null if there is nothing
     * @param move the move; its lease is that of a running attempt
     * @return the effect if the task is to wait, because its outcome is unknown; null if the task is to go on, because
     *     somebody has found out meanwhile
     */
    public static @Nullable StoredEffect parked(@Nullable StoredEffect effect, Transition.Park move) {
        if (effect == null || effect.known != Known.INTENDED) {
            return null;
        }
        return new StoredEffect(
                effect.id,
                move.lease(),
                Known.INTENDED,
                effect.intendedAt,
                effect.windowEnd,
                null,
                null,
                null,
                move.reason(),
                effect.resolution);
    }

    /** Where the task stands whose attempt dealt with an effect last. */
    public enum Standing {
        /** That attempt runs. */
        AT_IT,
        /** It is parked by that attempt. */
        PARKED,
        /** It is open in another way. */
        OPEN,
        /** It has ended, or has gone. */
        OVER
    }

    /**
     * The rules of a person's word.
     *
     * @param effect what is kept, or null if there is nothing
     * @param move the move
     * @param standing where its task stands
     * @param now the store's time
     * @return what it does to the effect; if that changes and the task is parked, the store sees to the task
     */
    public static Change resolve(
            @Nullable StoredEffect effect, Transition.Resolve move, Standing standing, Instant now) {
        if (effect == null) {
            return Change.none(Applied.NOT_FOUND);
        }
        Resolution word = move.resolution();
        boolean said = word.isSaidIn(effect.resolution);
        if (!effect.by.equals(move.left())) {
            return Change.none(said ? Applied.APPLIED : Applied.STALE);
        }
        if (effect.known != Known.INTENDED) {
            return Change.none(said && effect.how == EffectOutcome.How.RESOLVED ? Applied.APPLIED : Applied.STALE);
        }
        boolean givesUp = word.verdict() == Resolution.Verdict.GIVE_UP;
        if (givesUp && said && standing == Standing.OVER) {
            return Change.none(Applied.APPLIED);
        }
        if (standing == Standing.AT_IT || (givesUp && standing == Standing.OPEN)) {
            return Change.none(Applied.HELD);
        }
        Known known = switch (word.verdict()) {
            case DONE -> Known.DONE;
            case NOT_DONE -> Known.NOT_DONE;
            case GIVE_UP -> Known.INTENDED;
        };
        return new Change(
                Applied.APPLIED,
                new StoredEffect(
                        effect.id,
                        effect.by,
                        known,
                        effect.intendedAt,
                        effect.windowEnd,
                        givesUp ? null : now,
                        givesUp ? null : EffectOutcome.How.RESOLVED,
                        word.result(),
                        effect.note,
                        word.withoutResult()));
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
     * What people and handlers see of it.
     *
     * @param running whether the attempt that dealt with it last still runs
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
