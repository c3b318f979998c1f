package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Applied;
import dev.semel.store.EffectOutcome;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Resolution;
import dev.semel.store.Resolution.Verdict;
import dev.semel.store.SweepRequest;
import dev.semel.store.Transition;
import dev.semel.task.EffectId;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the parts of the contract about effects have in common: short ways to make the moves and to look. */
abstract class EffectStoreContract extends StoreContract {

    static final Draft KEYED = Draft.keyed("k");
    static final Wish WISH = Wish.from(Draft.QUEUE);
    static final String REASON = "nobody knows";
    static final SweepRequest ALL = new SweepRequest(Duration.ZERO, Map.of(), Duration.ZERO, 1_000);

    static final SweepRequest LATER = new SweepRequest(Duration.ofDays(1), Map.of(), Duration.ofDays(1), 1_000);

    /** The effect that most tests are about. */
    static EffectId charge(TaskId lineage) {
        return new EffectId(lineage, "charge", 0);
    }

    /** The same, of a task that is the first of its lineage. */
    static EffectId charge(Lease lease) {
        return charge(lease.taskId());
    }

    // Moves

    static Transition.Intend intend(Lease lease) {
        return intend(lease, charge(lease));
    }

    static Transition.Intend intend(Lease lease, EffectId effect) {
        return new Transition.Intend(lease, effect, null);
    }

    static Transition.Intend intend(Lease lease, Duration window) {
        return new Transition.Intend(lease, charge(lease), window);
    }

    static Transition.Conclude done(Lease lease) {
        return done(lease, charge(lease), "\"receipt\"");
    }

    static Transition.Conclude done(Lease lease, EffectId effect, @Nullable String result) {
        return new Transition.Conclude(lease, effect, new EffectOutcome.Done(result, EffectOutcome.How.RAN));
    }

    static Transition.Conclude notDone(Lease lease) {
        return notDone(lease, charge(lease));
    }

    static Transition.Conclude notDone(Lease lease, EffectId effect) {
        return new Transition.Conclude(lease, effect, new EffectOutcome.NotDone("declined", EffectOutcome.How.RAN));
    }

    static Transition.Park park(Lease lease) {
        return park(lease, charge(lease));
    }

    static Transition.Park park(Lease lease, EffectId effect) {
        return new Transition.Park(lease, effect, REASON);
    }

    static Transition.Resolve resolve(Lease left, Verdict verdict) {
        return resolve(charge(left), left, verdict);
    }

    static Transition.Resolve resolve(EffectId effect, Lease left, Verdict verdict) {
        return resolve(effect, left, word(verdict, "ann"));
    }

    static Transition.Resolve resolve(EffectId effect, Lease left, Resolution word) {
        return new Transition.Resolve(effect, left, word);
    }

    /** What a person says; one that says done has a result. */
    static Resolution word(Verdict verdict, String by) {
        return new Resolution(verdict, verdict == Verdict.DONE ? "\"told\"" : null, by, "looked it up");
    }

    /** The same as it is kept. */
    static Resolution kept(Verdict verdict, String by) {
        return new Resolution(verdict, null, by, "looked it up");
    }

    // Ways to a state

    /** Creates a task that must be alone in the usual queue, and claims it. */
    final Lease begin(Draft draft) {
        create(draft);
        return claimOne();
    }

    /** Such a task whose attempt has intended its effect. */
    final Lease intended(Draft draft) {
        Lease lease = begin(draft);
        applied(intend(lease));
        return lease;
    }

    /** Such a task that is pending again, its effect unknown. */
    final Lease leftUnknown(Draft draft) {
        Lease lease = intended(draft);
        applied(new Transition.PutBack(lease, Duration.ZERO));
        return lease;
    }

    /** Such a task that is parked because of its effect. */
    final Lease parked(Draft draft) {
        Lease lease = intended(draft);
        applied(park(lease));
        return lease;
    }

    /** Makes moves, each of which must be refused with the same answer and change nothing. */
    final void refused(Applied answer, Transition... moves) {
        for (Transition move : moves) {
            changesNothing(() -> assertThat(apply(move)).as("%s", move).isEqualTo(answer));
        }
    }

    final void assertStale(Transition... moves) {
        refused(Applied.STALE, moves);
    }

    final void assertSettled(Transition... moves) {
        refused(Applied.SETTLED, moves);
    }

    // Looking

    /** The effects of a lineage, in the order in which they come. */
    final List<EffectRecord> effects(TaskId lineage) {
        return store.effects(List.of(lineage)).getOrDefault(lineage, List.of());
    }

    /** The one effect of a lineage. */
    final EffectRecord effect(TaskId lineage) {
        List<EffectRecord> effects = effects(lineage);
        assertThat(effects).hasSize(1);
        return effects.getFirst();
    }

    /** The one effect of a task that is the first of its lineage. */
    final EffectRecord effect(Lease lease) {
        return effect(lease.taskId());
    }

    final EffectState stateOf(Lease lease) {
        return effect(lease).state();
    }

    /** All effects that are stored. */
    final List<EffectRecord> ledger() {
        return Snapshot.listed(store, new EffectQuery(Set.of(), null, EffectQuery.MAX_LIMIT));
    }
}
