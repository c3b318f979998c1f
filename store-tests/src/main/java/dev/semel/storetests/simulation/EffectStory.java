package dev.semel.storetests.simulation;

import dev.semel.store.Applied;
import dev.semel.store.EffectOutcome;
import dev.semel.store.EffectRecord;
import dev.semel.store.Resolution.Verdict;
import dev.semel.store.Transition;
import dev.semel.storetests.simulation.Evidence.Move;
import dev.semel.storetests.simulation.History.Moment;
import dev.semel.storetests.simulation.Provider.Visit;
import dev.semel.task.EffectId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All that is known about one effect of a lineage: who intended it, what was recorded, what was read, and who called. */
final class EffectStory {

    record Sighting(EffectRecord effect, Moment done) {}

    private final EffectId id;
    private final List<Move> intents = new ArrayList<>();
    private final List<Move> others = new ArrayList<>();
    private final List<Sighting> sightings = new ArrayList<>();
    private final List<Visit> visits = new ArrayList<>();
    private @Nullable EffectRecord last;

    EffectStory(EffectId id) {
        this.id = id;
    }

    EffectId id() {
        return id;
    }

    void add(Move move) {
        (move.move() instanceof Transition.Intend ? intents : others).add(move);
    }

    void keep(EffectRecord effect) {
        last = effect;
    }

    /** All intents, in the order in which they were sent. */
    List<Move> intents() {
        return intents;
    }

    /** All conclusions, parks and resolutions. */
    List<Move> others() {
        return others;
    }

    List<Sighting> sightings() {
        return sightings;
    }

    /** All calls to the provider. */
    List<Visit> visits() {
        return visits;
    }

    /** The effect as it is in the end, or null if it is not there. */
    @Nullable
    EffectRecord last() {
        return last;
    }

    /** The intent under which somebody called, or null if there was none that had been answered. */
    @Nullable
    Move intentOf(Visit visit) {
        for (Move intent : intents) {
            Transition.Intend move = (Transition.Intend) intent.move();
            if (intent.answer() == Applied.APPLIED
                    && intent.party().equals(visit.worker)
                    && move.lease().taskId().equals(visit.taskId)
                    && move.lease().attempt() == visit.attempt
                    && intent.earliest().order() < visit.began.order()) {
                return intent;
            }
        }
        return null;
    }

    /** The words that it happened, as far as they may have been recorded. */
    List<Move> saidDone() {
        return others.stream()
                .filter(Move::mayHaveApplied)
                .filter(move -> isDone(move.move()))
                .toList();
    }

    /** The words that it did not happen, as far as they may have been recorded. */
    List<Move> saidNotDone() {
        return others.stream()
                .filter(Move::mayHaveApplied)
                .filter(move -> isNotDone(move.move()))
                .toList();
    }

    /** Whether somebody may have said between two points, both included, that it did not happen. */
    boolean mayBeNotDone(long from, long until) {
        return saidNotDone().stream()
                .anyMatch(move -> move.earliest().order() <= until
                        && (move.done() == null || move.done().order() >= from));
    }

    static boolean isDone(Transition move) {
        return switch (move) {
            case Transition.Conclude conclude -> conclude.outcome() instanceof EffectOutcome.Done;
            case Transition.Resolve resolve -> resolve.resolution().verdict() == Verdict.DONE;
            default -> false;
        };
    }

    private static boolean isNotDone(Transition move) {
        return switch (move) {
            case Transition.Conclude conclude -> conclude.outcome() instanceof EffectOutcome.NotDone;
            case Transition.Resolve resolve -> resolve.resolution().verdict() == Verdict.NOT_DONE;
            default -> false;
        };
    }

    /** The result that a word that it happened gives. */
    static @Nullable String resultOf(Transition move) {
        return switch (move) {
            case Transition.Conclude conclude ->
                conclude.outcome() instanceof EffectOutcome.Done done ? done.result() : null;
            case Transition.Resolve resolve -> resolve.resolution().result();
            default -> null;
        };
    }
}
