package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.EffectOutcome;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Resolution;
import dev.semel.store.Resolution.Verdict;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.SweepRequest;
import dev.semel.task.EffectId;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The common part of the contracts of effects: methods for settlements, operations and reads. */
abstract class EffectStoreContract extends StoreContract {

    static final Draft KEYED = Draft.keyed("k");
    static final ClaimDraft CLAIM = ClaimDraft.from(Draft.QUEUE);
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

    // Settlements and operations

    static Settlement.Intend intend(Lease lease) {
        return intend(lease, charge(lease));
    }

    static Settlement.Intend intend(Lease lease, EffectId effect) {
        return new Settlement.Intend(lease, effect, null);
    }

    static Settlement.Intend intend(Lease lease, Duration window) {
        return new Settlement.Intend(lease, charge(lease), window);
    }

    static Settlement.Conclude done(Lease lease) {
        return done(lease, charge(lease), "\"receipt\"");
    }

    static Settlement.Conclude done(Lease lease, EffectId effect, @Nullable String result) {
        return new Settlement.Conclude(lease, effect, new EffectOutcome.Done(result, EffectOutcome.How.RAN));
    }

    static Settlement.Conclude notDone(Lease lease) {
        return notDone(lease, charge(lease));
    }

    static Settlement.Conclude notDone(Lease lease, EffectId effect) {
        return new Settlement.Conclude(lease, effect, new EffectOutcome.NotDone("declined", EffectOutcome.How.RAN));
    }

    static Settlement.Park park(Lease lease) {
        return park(lease, charge(lease));
    }

    static Settlement.Park park(Lease lease, EffectId effect) {
        return new Settlement.Park(lease, effect, REASON);
    }

    static Operation.Resolve resolve(Lease left, Verdict verdict) {
        return resolve(charge(left), left, verdict);
    }

    static Operation.Resolve resolve(EffectId effect, Lease left, Verdict verdict) {
        return resolve(effect, left, word(verdict, "ann"));
    }

    static Operation.Resolve resolve(EffectId effect, Lease left, Resolution word) {
        return new Operation.Resolve(effect, left.attemptId(), word);
    }

    /** A person's resolution; one as done has a result. */
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
        applied(new Settlement.PutBack(lease, Duration.ZERO));
        return lease;
    }

    /** Such a task that is parked because of its effect. */
    final Lease parked(Draft draft) {
        Lease lease = intended(draft);
        applied(park(lease));
        return lease;
    }

    /** Sends settlements, each of which must be rejected with the same answer and change nothing. */
    final void refused(Settled answer, Settlement... settlements) {
        for (Settlement settlement : settlements) {
            changesNothing(
                    () -> assertThat(apply(settlement)).as("%s", settlement).isEqualTo(answer));
        }
    }

    /** Sends operations, each of which must be rejected with the same answer and change nothing. */
    final void refused(Operated answer, Operation... operations) {
        for (Operation operation : operations) {
            changesNothing(
                    () -> assertThat(apply(operation)).as("%s", operation).isEqualTo(answer));
        }
    }

    final void assertStale(Settlement... settlements) {
        refused(Settled.STALE, settlements);
    }

    final void assertStale(Operation... operations) {
        refused(Operated.STALE, operations);
    }

    final void assertConcluded(Settlement... settlements) {
        refused(Settled.CONCLUDED, settlements);
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
        return Snapshot.listed(store, EffectQuery.all(EffectQuery.MAX_LIMIT));
    }
}
