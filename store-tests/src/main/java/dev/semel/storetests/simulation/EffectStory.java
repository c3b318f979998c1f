package dev.semel.storetests.simulation;

import dev.semel.store.EffectOutcome;
import dev.semel.store.EffectRecord;
import dev.semel.store.Operation;
import dev.semel.store.Resolution.Verdict;
import dev.semel.store.Settlement;
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
    private final List<Change.Settle> intents = new ArrayList<>();
    private final List<Change> others = new ArrayList<>();
    private final List<Sighting> sightings = new ArrayList<>();
    private final List<Visit> visits = new ArrayList<>();
    private @Nullable EffectRecord last;

    EffectStory(EffectId id) {
        this.id = id;
    }

    EffectId id() {
        return id;
    }

    void keep(EffectRecord effect) {
        last = effect;
    }

    /** All intents, in the order in which they were sent. */
    List<Change.Settle> intents() {
        return intents;
    }

    /** All conclusions, parks and resolutions. */
    List<Change> others() {
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

    /** The intent under which a call was made, or null if none had been answered. */
    Change.@Nullable Settle intentOf(Visit visit) {
        for (Change.Settle intent : intents) {
            Settlement.Intend item = (Settlement.Intend) intent.item();
            if (intent.answeredApplied()
                    && intent.party().equals(visit.worker)
                    && item.lease().taskId().equals(visit.taskId)
                    && item.lease().attempt() == visit.attempt
                    && intent.earliest().order() < visit.began.order()) {
                return intent;
            }
        }
        return null;
    }

    /** The reports that it happened, as far as they may have been recorded. */
    List<Change> saidDone() {
        return others.stream()
                .filter(Change::mayHaveApplied)
                .filter(change -> isDone(change.item()))
                .toList();
    }

    /** The reports that it did not happen, as far as they may have been recorded. */
    List<Change> saidNotDone() {
        return others.stream()
                .filter(Change::mayHaveApplied)
                .filter(change -> isNotDone(change.item()))
                .toList();
    }

    /** Returns whether it may have been reported as not done between two points, both included. */
    boolean mayBeNotDone(long from, long until) {
        return saidNotDone().stream()
                .anyMatch(change -> change.earliest().order() <= until
                        && (change.done() == null || change.done().order() >= from));
    }

    static boolean isDone(Object item) {
        return switch (item) {
            case Settlement.Conclude conclude -> conclude.outcome() instanceof EffectOutcome.Done;
            case Operation.Resolve resolve -> resolve.resolution().verdict() == Verdict.DONE;
            default -> false;
        };
    }

    private static boolean isNotDone(Object item) {
        return switch (item) {
            case Settlement.Conclude conclude -> conclude.outcome() instanceof EffectOutcome.NotDone;
            case Operation.Resolve resolve -> resolve.resolution().verdict() == Verdict.NOT_DONE;
            default -> false;
        };
    }

    /** The result in a report that it happened. */
    static @Nullable String resultOf(Object item) {
        return switch (item) {
            case Settlement.Conclude conclude ->
                conclude.outcome() instanceof EffectOutcome.Done done ? done.result() : null;
            case Operation.Resolve resolve -> resolve.resolution().result();
            default -> null;
        };
    }
}
