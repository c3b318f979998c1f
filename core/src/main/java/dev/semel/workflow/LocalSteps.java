package dev.semel.workflow;

import dev.semel.engine.EffectCall;
import dev.semel.engine.Journal;
import dev.semel.engine.LocalOutcome;
import dev.semel.guard.Effect;
import dev.semel.store.InboxEntry;
import dev.semel.store.StoredFlow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The local steps of one turn, and what persons have resolved. The ledger of effects is their journal: they have no lines.
 *
 * <p>The ledger and the inbox are read at different times, and a resolution changes both in one step. So if one of the two shows it, the
 * other is read again before the code goes on: otherwise the place of the end in the order of the inbox would not be known.
 */
final class LocalSteps {

    private final Turn turn;
    private final Journal journal;
    private final Map<String, List<InboxEntry>> resolutions = new HashMap<>();
    private final List<LocalStep<?>> steps = new ArrayList<>();
    private int first;

    LocalSteps(Turn turn, Journal journal) {
        this.turn = turn;
        this.journal = journal;
    }

    /** Notes how many entries there were when the turn began: the ledger is read after them. */
    void begin(int entries) {
        first = entries;
    }

    /** Takes an entry of the inbox if it is a resolution. */
    boolean take(InboxEntry entry) {
        String document = entry.document();
        if (!entry.name().equals(StoredFlow.RESOLVED) || document == null) {
            return false;
        }
        // A label has no character that JSON escapes.
        String label = document.substring(1, document.length() - 1);
        resolutions.computeIfAbsent(label, name -> new ArrayList<>()).add(entry);
        return true;
    }

    Instant storeTime() {
        return turn.storeTime();
    }

    <T extends @Nullable Object, X extends Exception> LocalStep<T> start(
            String label, EffectCall<T> call, Effect<T, X> function) throws X {
        boolean newer = of(label).stream().anyMatch(entry -> entry.number() > first);
        // One that was given up does not run, unless the workflow was restarted since.
        boolean runs = of(label).stream().noneMatch(this::isGivenUp);
        LocalOutcome<T> outcome = journal.local(call, function, newer, runs);
        String resolved = outcome.resolved();
        if (resolved != null && !isKnown(label, resolved)) {
            turn.readInbox();
        }
        if (outcome instanceof LocalOutcome.Referred && resolved != null && isOfEarlierGeneration(label, resolved)) {
            // What was given up before the restart is asked again, under another attempt: it can be given up again.
            journal.referAgain(call);
        }
        LocalStep<T> step = new LocalStep<>(this, label, outcome, of(label), turn.seen());
        steps.add(step);
        return step;
    }

    private boolean isGivenUp(InboxEntry entry) {
        return entry.error() != null && entry.number() > turn.restarted();
    }

    private boolean isOfEarlierGeneration(String label, String key) {
        return of(label).stream()
                .anyMatch(entry -> key.equals(entry.key()) && entry.error() != null && !isGivenUp(entry));
    }

    private boolean isKnown(String label, String key) {
        return of(label).stream().anyMatch(entry -> key.equals(entry.key()));
    }

    private List<InboxEntry> of(String label) {
        return List.copyOf(resolutions.getOrDefault(label, List.of()));
    }

    <T extends @Nullable Object> T result(LocalStep<T> step) {
        // One that never had to be waited for is no wait: the number of a wait must be the same in each replay.
        if (!step.isImmediate()) {
            turn.awaitEnd(step);
        }
        return step.value();
    }

    /**
     * Returns how many entries this turn has seen, which is less than it has read if a step was resolved after the code came past it. Then this
     * turn decides nothing more: the next one comes past the step with that resolution.
     */
    int seen(int read) {
        int seen = read;
        for (LocalStep<?> step : steps) {
            if (!step.isImmediate()) {
                for (InboxEntry entry : of(step.label())) {
                    if (entry.number() > step.considered()) {
                        seen = Math.min(seen, entry.number() - 1);
                    }
                }
            }
        }
        return seen;
    }
}
