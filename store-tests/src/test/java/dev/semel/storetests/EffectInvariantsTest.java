package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.EffectOutcome.How;
import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.Resolution;
import dev.semel.store.Settlement;
import dev.semel.store.SweepRequest;
import dev.semel.store.TaskStore;
import dev.semel.task.AttemptId;
import dev.semel.task.Identity;
import dev.semel.task.Lease;
import dev.semel.task.TaskState;
import dev.semel.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EffectInvariantsTest {

    private static final List<Identity> IDENTITIES = List.of(Draft.keyed("k").identity());

    private final ManualClock clock = new ManualClock();
    private final TaskStore store = new InMemoryTaskStore(clock);
    private final RisingIds ids = new RisingIds(clock);

    /** One task whose effect is done and runs on, and one that is parked. */
    @BeforeEach
    void fill() {
        store.submit(List.of(Draft.keyed("k").as(ids.next()), Draft.plain().as(ids.next())));
        List<Lease> leases = store.claim(ClaimDraft.from(Draft.QUEUE).as(1)).tasks().stream()
                .map(claimed -> claimed.lease())
                .toList();
        store.settle(List.of(
                EffectStoreContract.intend(leases.get(0)),
                EffectStoreContract.done(leases.get(0)),
                EffectStoreContract.intend(leases.get(1)),
                EffectStoreContract.park(leases.get(1))));
    }

    @Test
    void aSoundStorePassesAndItsParkedTasksAreDrained() {
        assertThatCode(() -> StoreInvariants.check(store, IDENTITIES)).doesNotThrowAnyException();
        assertThatCode(() -> StoreInvariants.drain(store, clock)).doesNotThrowAnyException();
        assertThatCode(() -> StoreInvariants.check(store, IDENTITIES)).doesNotThrowAnyException();
        assertThat(Snapshot.of(store).tasks().values()).allMatch(task -> task.state() == TaskState.COMPLETED);
    }

    @Test
    void aParkedTaskWithoutAnEffectToResolveIsFound() {
        TaskStore lost = listing(effects ->
                effects.stream().filter(e -> e.state() == EffectState.DONE).toList());
        assertThatThrownBy(() -> StoreInvariants.check(lost)).hasMessageContaining("something will wake");
        assertThatThrownBy(() -> StoreInvariants.drain(lost, clock)).hasMessageContaining("none is left to wake them");
        TaskStore known =
                seeing(e -> e.state() == EffectState.UNKNOWN ? as(e, e.by(), EffectState.NOT_DONE, How.RAN, null) : e);
        assertThatThrownBy(() -> StoreInvariants.check(known)).hasMessageContaining("something will wake");
    }

    @Test
    void anEffectOfAnAttemptThatNeverWasIsFound() {
        store.submit(List.of(Draft.plain().as(ids.next())));
        clock.advance(Duration.ofSeconds(1));
        Lease lease = store.claim(ClaimDraft.from(Draft.QUEUE).as(3))
                .tasks()
                .getFirst()
                .lease();
        store.settle(List.of(EffectStoreContract.intend(lease), EffectStoreContract.done(lease)));
        TaskStore broken = seeing(e -> e.by().equals(lease.attemptId())
                ? as(e, new AttemptId(lease.taskId(), 2), EffectState.DONE, How.RAN, null)
                : e);
        assertThatThrownBy(() -> StoreInvariants.check(broken)).hasMessageContaining("an attempt that was");
    }

    @Test
    void aStateThatDoesNotFitTheAttemptIsFound() {
        TaskStore inProgress =
                seeing(e -> e.state() == EffectState.UNKNOWN ? as(e, e.by(), EffectState.IN_PROGRESS, null, null) : e);
        assertThatThrownBy(() -> StoreInvariants.check(inProgress)).hasMessageContaining("has a running attempt");
        TaskStore unknown =
                seeing(e -> e.state() == EffectState.DONE ? as(e, e.by(), EffectState.UNKNOWN, null, null) : e);
        assertThatThrownBy(() -> StoreInvariants.check(unknown)).hasMessageContaining("what is unknown has none");
    }

    @Test
    void anOutcomeThatDoesNotFitItsWordIsFound() {
        TaskStore withoutHow =
                seeing(e -> e.state() == EffectState.DONE ? as(e, e.by(), EffectState.DONE, null, null) : e);
        assertThatThrownBy(() -> StoreInvariants.check(withoutHow)).hasMessageContaining("known in some way");
        TaskStore withoutWord =
                seeing(e -> e.state() == EffectState.DONE ? as(e, e.by(), EffectState.DONE, How.RESOLVED, null) : e);
        assertThatThrownBy(() -> StoreInvariants.check(withoutWord))
                .hasMessageContaining("a resolved effect has a resolution");
        Resolution denied = new Resolution(Resolution.Verdict.NOT_DONE, null, "ann", "looked it up");
        TaskStore otherWord =
                seeing(e -> e.state() == EffectState.DONE ? as(e, e.by(), EffectState.DONE, How.RESOLVED, denied) : e);
        assertThatThrownBy(() -> StoreInvariants.check(otherWord)).isInstanceOf(AssertionError.class);
    }

    @Test
    void aListingOutOfOrderIsFound() {
        TaskStore broken = listing(List::reversed);
        assertThatThrownBy(() -> StoreInvariants.check(broken)).hasMessageContaining("not greater");
    }

    @Test
    void anEffectThatNobodyCanComeBackToIsFound() {
        List<EffectRecord> before = Snapshot.of(store).effects();
        StoreInvariants.drain(store, clock);
        store.sweep(new SweepRequest(Duration.ZERO, Map.of(), Duration.ZERO, 1_000));
        assertThat(Snapshot.of(store).effects()).isEmpty();
        TaskStore broken = listing(none -> List.of(before.getFirst()));
        assertThatThrownBy(() -> StoreInvariants.check(broken, IDENTITIES))
                .hasMessageContaining("effects go when nothing can continue their lineage");
    }

    @Test
    void anEffectThatOnlyARecordContinuesIsNotTakenForLost() {
        Lease lease = new Lease(Snapshot.of(store).effects().getFirst().id().lineage(), 1, 1);
        store.settle(List.of(new Settlement.Fail(lease, false, "broken")));
        store.sweep(new SweepRequest(Duration.ZERO, Map.of(), Duration.ZERO, 1_000));
        assertThat(store.find(List.of(lease.taskId()))).isEmpty();
        assertThatCode(() -> StoreInvariants.check(store, IDENTITIES)).doesNotThrowAnyException();
        assertThatThrownBy(() -> StoreInvariants.check(store, List.of()))
                .as("unknown without the identities")
                .isInstanceOf(AssertionError.class);
    }

    private static EffectRecord as(
            EffectRecord e, AttemptId by, EffectState state, @Nullable How how, @Nullable Resolution word) {
        return new EffectRecord(
                e.id(),
                by,
                state,
                e.intendedAt(),
                e.windowEnd(),
                e.windowPassed(),
                state == EffectState.DONE || state == EffectState.NOT_DONE ? e.intendedAt() : null,
                how,
                state == EffectState.DONE ? e.result() : null,
                e.note(),
                word);
    }

    /** The store with effects that are seen wrong. */
    private TaskStore seeing(UnaryOperator<EffectRecord> wrong) {
        return listing(effects -> effects.stream().map(wrong).toList());
    }

    /** The store with a listing of effects that is wrong. */
    private TaskStore listing(UnaryOperator<List<EffectRecord>> wrong) {
        return new ForwardingTaskStore(store) {
            @Override
            public EffectPage effects(EffectQuery query) {
                return new EffectPage(wrong.apply(super.effects(query).effects()), null);
            }
        };
    }
}
