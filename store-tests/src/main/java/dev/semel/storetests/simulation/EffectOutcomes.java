package dev.semel.storetests.simulation;

import dev.semel.store.EffectOutcome;
import dev.semel.store.EffectOutcome.How;
import dev.semel.store.Operation;
import dev.semel.store.Resolution;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import org.jspecify.annotations.Nullable;

/** Counts what happened to effects. */
final class EffectOutcomes {

    private final Evidence evidence;
    private final Tally tally;

    private EffectOutcomes(Evidence evidence, Tally tally) {
        this.evidence = evidence;
        this.tally = tally;
    }

    static void count(Evidence evidence, Tally tally) {
        EffectOutcomes outcomes = new EffectOutcomes(evidence, tally);
        for (EffectStory effect : evidence.effects()) {
            tally.count(Happening.EFFECT_CALLED_AGAIN, effect.visits().size() - 1);
            effect.intents().forEach(intent -> outcomes.countIntent(intent.answer()));
            effect.others().forEach(outcomes::countOther);
        }
    }

    private void countIntent(@Nullable Settled answer) {
        switch (answer) {
            case APPLIED -> tally.count(Happening.EFFECT_INTENDED);
            case STALE -> tally.count(Happening.INTENT_REFUSED);
            case CONCLUDED -> tally.count(Happening.INTENT_SETTLED);
            case TOO_LATE -> tally.count(Happening.WINDOW_PASSED);
            case null, default -> {}
        }
    }

    private void countOther(Change change) {
        switch (change) {
            case Change.Settle settle -> countSettlement(settle);
            case Change.Operate operate -> countOperation(operate);
        }
    }

    private void countSettlement(Change.Settle sent) {
        switch (sent.item()) {
            case Settlement.Conclude conclude -> {
                if (sent.answer() == Settled.APPLIED) {
                    tally.count(outcome(conclude.outcome()));
                } else if (sent.answer() == Settled.STALE) {
                    tally.count(Happening.OUTCOME_REFUSED);
                }
            }
            case Settlement.Park park -> {
                if (sent.answer() == Settled.APPLIED) {
                    tally.count(
                            isOvertaken(park, sent.earliest().order()) ? Happening.PARK_OVERTAKEN : Happening.PARKED);
                }
            }
            default -> {}
        }
    }

    private void countOperation(Change.Operate sent) {
        if (sent.item() instanceof Operation.Resolve resolve) {
            switch (sent.answer()) {
                case APPLIED -> tally.count(verdict(resolve.resolution().verdict()));
                case HELD -> tally.count(Happening.RESOLUTION_HELD);
                case STALE -> tally.count(Happening.RESOLUTION_STALE);
                case null, default -> {}
            }
        }
    }

    /** Whether somebody's word about the effect, and no later intent, had been recorded when the task was parked for it. */
    private boolean isOvertaken(Settlement.Park park, long order) {
        EffectStory effect = evidence.effect(park.effect());
        return effect.others().stream()
                .filter(change -> change.answeredApplied()
                        && change.item() instanceof Operation.Resolve resolve
                        && resolve.resolution().verdict() != Resolution.Verdict.GIVE_UP)
                .mapToLong(change -> change.earliest().order())
                .anyMatch(said -> said < order
                        && effect.intents().stream()
                                .filter(Change::mayHaveApplied)
                                .noneMatch(intent -> intent.earliest().order() > said));
    }

    private static Happening outcome(EffectOutcome outcome) {
        return switch (outcome) {
            case EffectOutcome.NotDone notDone ->
                notDone.how() == How.PROBED ? Happening.EFFECT_PROBED_AS_NOT_DONE : Happening.EFFECT_REFUSED;
            case EffectOutcome.Done done ->
                switch (done.how()) {
                    case PROBED -> Happening.EFFECT_PROBED_AS_DONE;
                    case ASSUMED -> Happening.EFFECT_ASSUMED;
                    case RAN, RESOLVED -> Happening.EFFECT_RECORDED;
                };
        };
    }

    private static Happening verdict(Resolution.Verdict verdict) {
        return switch (verdict) {
            case DONE -> Happening.RESOLVED_AS_DONE;
            case NOT_DONE -> Happening.RESOLVED_AS_NOT_DONE;
            case GIVE_UP -> Happening.GIVEN_UP;
        };
    }
}
