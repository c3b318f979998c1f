package dev.semel.storetests.simulation;

import dev.semel.engine.Codec;
import dev.semel.store.EffectOutcome;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Settlement;
import dev.semel.store.Task;
import dev.semel.storetests.simulation.History.Moment;
import dev.semel.storetests.simulation.Provider.Look;
import dev.semel.storetests.simulation.Provider.Visit;
import dev.semel.task.EffectId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * I5 and what belongs to it: what was recorded does not run again and is what tasks return; nothing is called without an
 * intent; what is unknown is called again only as its policy allows.
 */
final class EffectRules {

    private final Evidence evidence;
    private final Findings findings;
    private final Map<String, List<Look>> looks = new HashMap<>();

    EffectRules(Evidence evidence, Findings findings) {
        this.evidence = evidence;
        this.findings = findings;
        for (Look look : evidence.looks()) {
            looks.computeIfAbsent(look.token(), any -> new ArrayList<>()).add(look);
        }
    }

    void check() {
        evidence.effects().forEach(this::check);
        evidence.tasks().forEach(this::checkResult);
    }

    private void check(EffectStory effect) {
        if (evidence.task(effect.id().lineage()).birthTimes().size() > 1) {
            return; // made again after it was swept: the ledger of two lives, which cannot be distinguished
        }
        checkOutcomes(effect);
        checkSightings(effect);
        checkKept(effect);
        checkWindow(effect);
        checkCalls(effect);
        checkCharges(effect);
        effect.others().forEach(word -> checkTruth(effect, word));
    }

    private void broken(Invariant invariant, EffectStory effect, String what) {
        findings.broken(
                invariant,
                evidence.task(effect.id().lineage()),
                evidence.tasksOf(effect.id().lineage()),
                "effect " + effect.id().label() + " " + what);
    }

    // ---- what was recorded

    /** Once it certainly is recorded that it happened, nothing else is recorded. */
    private void checkOutcomes(EffectStory effect) {
        Change first = recorded(effect);
        if (first == null || first.done() == null) {
            return;
        }
        long since = first.done().order();
        for (Change intent : effect.intents()) {
            if (intent.answeredApplied() && intent.earliest().order() > since) {
                broken(
                        Invariant.I5,
                        effect,
                        "was recorded as done at #" + since + ", and yet could be intended again at #"
                                + intent.earliest().order());
                return;
            }
        }
        for (Change other : effect.others()) {
            if (other.answeredApplied()
                    && EffectStory.isDone(other.item())
                    && !Objects.equals(EffectStory.resultOf(other.item()), EffectStory.resultOf(first.item()))) {
                broken(
                        Invariant.I5,
                        effect,
                        "was recorded twice: " + findings.wording().ofItem(first.item()) + " and "
                                + findings.wording().ofItem(other.item()));
                return;
            }
        }
    }

    /** The first report that it happened that was answered as recorded, or null. */
    private static @Nullable Change recorded(EffectStory effect) {
        return effect.saidDone().stream()
                .filter(change -> change.answeredApplied())
                .min(Comparator.comparingLong(change -> change.earliest().order()))
                .orElse(null);
    }

    /** Every later read returns what was recorded. */
    private void checkSightings(EffectStory effect) {
        Change first = recorded(effect);
        List<EffectStory.Sighting> all = new ArrayList<>(effect.sightings());
        if (effect.last() != null) {
            all.add(new EffectStory.Sighting(effect.last(), evidence.end()));
        }
        for (EffectStory.Sighting sighting : all) {
            EffectRecord seen = sighting.effect();
            boolean after = first != null
                    && first.done() != null
                    && first.done().order() < sighting.done().order();
            boolean possible = seen.state() != EffectState.DONE
                    ? !after
                    : first != null
                            ? Objects.equals(seen.result(), EffectStory.resultOf(first.item()))
                            : effect.saidDone().stream()
                                    .anyMatch(change ->
                                            Objects.equals(seen.result(), EffectStory.resultOf(change.item())));
            if (!possible) {
                broken(
                        Invariant.I5,
                        effect,
                        "was read at #" + sighting.done().order() + " as "
                                + findings.wording().ofItem(seen)
                                + (first == null
                                        ? ", which was never recorded"
                                        : ", but was recorded as "
                                                + findings.wording().ofItem(first.item())));
                return;
            }
        }
    }

    /** What was answered as intended is there as long as its lineage is. */
    private void checkKept(EffectStory effect) {
        boolean intended = effect.intents().stream().anyMatch(intent -> intent.answeredApplied());
        if (intended
                && effect.last() == null
                && evidence.keepsEffects(effect.id().lineage())) {
            broken(Invariant.INTENTS, effect, "was intended, and in the end the ledger knows nothing of it");
        }
    }

    // ---- what was intended and called

    /** An intent of an unknown effect is not applied once the provider may have forgotten its token. */
    private void checkWindow(EffectStory effect) {
        for (Change later : effect.intents()) {
            Duration window = ((Settlement.Intend) later.item()).window();
            Moment done = later.done();
            if (window == null || done == null || !later.answeredApplied() || wasSentBefore(effect, later)) {
                continue;
            }
            for (Change first : effect.intents()) {
                Moment begun = first.done();
                if (first.answeredApplied()
                        && begun != null
                        && begun.order() < done.order()
                        && !begun.at().plus(window).isAfter(done.at())
                        && !effect.mayBeNotDone(begun.order(), done.order())) {
                    broken(
                            Invariant.WINDOWS,
                            effect,
                            "was intended at " + begun.at() + " and, unknown, once more at " + done.at()
                                    + ", although its window is " + window);
                    return;
                }
            }
        }
    }

    /** Whether the same intent was sent before, so that it may be answered for that. */
    private static boolean wasSentBefore(EffectStory effect, Change intent) {
        return effect.intents().stream()
                .anyMatch(other -> other.mayHaveApplied()
                        && other.asked().order() < intent.asked().order()
                        && other.item().equals(intent.item()));
    }

    /** No provider is called without an intent, and twice only where it is known that nothing happened, or where tokens count. */
    private void checkCalls(EffectStory effect) {
        List<Change> intents = new ArrayList<>();
        for (Visit visit : effect.visits()) {
            Change intent = effect.intentOf(visit);
            if (intent == null) {
                broken(
                        Invariant.INTENTS,
                        effect,
                        "was called at #" + visit.began.order() + " by " + visit.worker + " under attempt "
                                + visit.attempt + ", whose intent was not answered as recorded before");
                return;
            }
            intents.add(intent);
        }
        if (effect.visits().isEmpty() || effect.visits().getFirst().policy.honoursTokens()) {
            return;
        }
        intents.sort(Comparator.comparingLong(intent -> intent.earliest().order()));
        for (int i = 1; i < intents.size(); i++) {
            long from = intents.get(i - 1).earliest().order();
            long until = intents.get(i).earliest().order();
            if (!effect.mayBeNotDone(from, until)) {
                broken(
                        Invariant.UNKNOWN,
                        effect,
                        "was intended at #" + from + " and at #" + until + " and called each time, although it"
                                + " cannot have been reported meanwhile that nothing had happened");
                return;
            }
        }
    }

    /** A token is charged once, unless it was charged on behalf of an intent that was resolved as not done. */
    private void checkCharges(EffectStory effect) {
        List<String> charges = new ArrayList<>();
        for (Visit visit : effect.visits()) {
            Moment charged = visit.charged();
            Change intent = effect.intentOf(visit);
            if (charged != null && intent != null && !isOvertaken(visit, intent, charged)) {
                charges.add("#" + charged.order());
            }
        }
        if (charges.size() > 1) {
            broken(Invariant.UNKNOWN, effect, "was charged at " + charges);
        }
    }

    private boolean isOvertaken(Visit visit, Change intent, Moment charged) {
        return !visit.policy.honoursTokens()
                && looks.getOrDefault(visit.token, List.of()).stream()
                        .anyMatch(look -> !look.charged()
                                && look.at().order() > intent.earliest().order()
                                && look.at().order() < charged.order());
    }

    /** No attempt records that nothing happened while an earlier one may have made it happen, unless it asked. */
    private void checkTruth(EffectStory effect, Change word) {
        if (!word.answeredApplied()
                || !(word.item() instanceof Settlement.Conclude conclude)
                || !(conclude.outcome() instanceof EffectOutcome.NotDone notDone)
                || notDone.how() != EffectOutcome.How.RAN) {
            return;
        }
        Change own = effect.intents().stream()
                .filter(intent -> ((Settlement.Intend) intent.item()).lease().equals(conclude.lease()))
                .findFirst()
                .orElse(null);
        if (own == null) {
            return;
        }
        Moment until = effect.visits().stream()
                .filter(visit -> visit.taskId.equals(conclude.lease().taskId())
                        && visit.attempt == conclude.lease().attempt())
                .map(Visit::refused)
                .findFirst()
                .orElse(own.asked());
        for (Visit visit : effect.visits()) {
            Moment charged = visit.charged();
            Change intent = effect.intentOf(visit);
            if (charged != null
                    && intent != null
                    && charged.order() < until.order()
                    && !effect.mayBeNotDone(
                            intent.earliest().order(), own.asked().order())) {
                broken(
                        Invariant.UNKNOWN,
                        effect,
                        "was recorded as not done by attempt "
                                + conclude.lease().attempt() + " (" + notDone.reason() + "), although attempt "
                                + visit.attempt + " had it charged at #" + charged.order());
                return;
            }
        }
    }

    // ---- what tasks return

    private void checkResult(TaskStory task) {
        Task last = task.last();
        String result = last == null ? null : last.progress().result();
        if (last == null
                || result == null
                || last.state() != TaskState.COMPLETED
                || task.birthTimes().size() > 1
                || evidence.task(last.lineage()).birthTimes().size() > 1) {
            return;
        }
        if (result.contains(LeaseThief.STOLEN)) {
            return; // the thief has no effects
        }
        Handling.Done done = Codec.standard().decode(result, Handling.Done.class);
        done.receipts().forEach((label, receipt) -> {
            EffectStory effect = evidence.effect(EffectId.parse(last.lineage(), label));
            String returned = receipt == null ? null : Codec.standard().encode(receipt);
            EffectRecord kept = effect.last();
            Set<@Nullable String> possible = new LinkedHashSet<>();
            if (kept != null) {
                possible.add(kept.result());
            } else {
                effect.saidDone().forEach(change -> possible.add(EffectStory.resultOf(change.item())));
            }
            boolean unrecorded =
                    kept == null ? evidence.keepsEffects(last.lineage()) : kept.state() != EffectState.DONE;
            if (unrecorded || !possible.contains(returned)) {
                broken(
                        Invariant.I5,
                        effect,
                        "gave " + returned + " to its task, but is recorded as "
                                + (kept == null
                                        ? "one of " + possible
                                        : findings.wording().ofItem(kept)));
            }
        });
    }
}
