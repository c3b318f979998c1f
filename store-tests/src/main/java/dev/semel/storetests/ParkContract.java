package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Attempt;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.QueueDepth;
import dev.semel.store.QueueSettings;
import dev.semel.store.Resolution.Verdict;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted.Returned;
import dev.semel.store.SweepRequest;
import dev.semel.store.Task;
import dev.semel.task.EffectId;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The law of parked tasks: E7. */
public abstract class ParkContract extends EffectStoreContract {

    /** For subclasses. */
    protected ParkContract() {}

    @Test
    @DisplayName("E7: a parked task is waiting without a lease, keeps its due time, and its attempt costs no failure")
    void aParkedTaskIsWaiting() {
        TaskId id = create(KEYED);
        applied(new Settlement.Retry(claimOne(), Duration.ZERO, "first"));
        Instant started = clock.instant();
        Lease lease = claimOne();
        applied(intend(lease));
        Instant dueAt = Objects.requireNonNull(read(id).progress().dueAt(), "the end of the lease");
        clock.advance(Duration.ofSeconds(1));
        applied(park(lease));
        assertThat(read(id).progress())
                .isEqualTo(new Task.Progress(TaskState.WAITING, 2, 1, 0, dueAt, false, null, null, REASON));
        assertThat(store.attempts(id).getLast())
                .isEqualTo(new Attempt(2, ClaimDraft.WORKER, started, clock.instant(), Attempt.Outcome.PARKED, REASON));
        assertThat(effect(lease))
                .isEqualTo(new EffectRecord(
                        charge(lease),
                        lease.attemptId(),
                        EffectState.UNKNOWN,
                        started,
                        null,
                        false,
                        null,
                        null,
                        null,
                        REASON,
                        null));
        assertThat(record(KEYED).state()).isEqualTo(TaskState.WAITING);
    }

    @Test
    @DisplayName("E7: no claim takes a parked task, however long it waits, and none returns its due time")
    void aParkedTaskIsNotClaimed() {
        create(Draft.plain());
        ClaimRequest request = CLAIM.as(nextClaim());
        Lease lease = store.claim(request).tasks().getFirst().lease();
        applied(intend(lease));
        applied(park(lease));
        assertThat(store.claim(request.again()).tasks())
                .as("not its claim's own any more")
                .isEmpty();
        clock.advance(Duration.ofDays(365));
        Claims claims = claim(CLAIM);
        assertThat(claims.tasks()).isEmpty();
        assertThat(claims.nextDue()).isNull();
        assertStale(new Settlement.Extend(lease, ClaimDraft.LEASE), intend(lease), done(lease));
        store.sweep(ALL);
        assertThat(state(lease.taskId())).isEqualTo(TaskState.WAITING);
        assertThat(read(lease.taskId()).progress().vanished()).isZero();
    }

    @Test
    @DisplayName("E7, Q4: a parked task takes no slot of its queue's concurrency")
    void aParkedTaskTakesNoPlace() {
        set(Draft.QUEUE, QueueSettings.builder().concurrency(1));
        Ear ear = new Ear();
        store.listen(ear);
        Lease lease = begin(Draft.plain());
        applied(intend(lease));
        TaskId next = create(Draft.plain());
        assertThat(claimIds(CLAIM)).isEmpty();
        ear.forget();
        applied(park(lease));
        ear.awaitDue(Draft.QUEUE);
        assertThat(claimIds(CLAIM)).containsExactly(next);
        applied(resolve(lease, Verdict.DONE));
        assertThat(claimIds(CLAIM)).as("it needs a slot again").isEmpty();
        applied(new Settlement.Complete(lease(next, 1), null));
        assertThat(claimOne()).isEqualTo(lease(lease.taskId(), 2));
    }

    @Test
    @DisplayName("E7, Q5: a parked task releases its mutex to the next task, and waits for it again afterwards")
    void aParkedTaskLetsItsMutexGo() {
        Draft bound = Draft.plain().mutex("m");
        Ear ear = new Ear();
        store.listen(ear);
        Lease lease = begin(bound);
        applied(intend(lease));
        TaskId next = create(bound);
        TaskId last = create(bound);
        assertThat(claimIds(CLAIM)).isEmpty();
        assertThat(state(next)).isEqualTo(TaskState.WAITING);
        ear.forget();
        applied(park(lease));
        ear.awaitDue(Draft.QUEUE);
        assertThat(claimIds(CLAIM)).containsExactly(next);
        applied(resolve(lease, Verdict.NOT_DONE));
        assertThat(state(lease.taskId())).isEqualTo(TaskState.PENDING);
        assertThat(claimIds(CLAIM)).isEmpty();
        assertThat(state(lease.taskId())).as("the mutex is held").isEqualTo(TaskState.WAITING);
        applied(new Settlement.Complete(lease(next, 1), null));
        Lease third = claimOne();
        assertThat(claimIds(CLAIM)).isEmpty();
        applied(new Settlement.Complete(third, null));
        Lease fourth = claimOne();
        assertThat(List.of(third.taskId(), fourth.taskId())).containsExactlyInAnyOrder(lease.taskId(), last);
    }

    @Test
    @DisplayName("E7, Q5: the end of a mutex's holder does not wake a task of the mutex that is parked")
    void anEndDoesNotWakeAParkedTask() {
        Draft bound = Draft.plain().mutex("m");
        Lease parked = parked(bound);
        Lease holder = begin(bound);
        TaskId blocked = create(bound);
        assertThat(claimIds(CLAIM)).isEmpty();
        applied(new Settlement.Complete(holder, null));
        assertThat(state(parked.taskId())).isEqualTo(TaskState.WAITING);
        assertThat(claimIds(CLAIM)).containsExactly(blocked);
        applied(new Operation.Cancel(parked.taskId()));
        create(bound);
        assertThat(claimIds(CLAIM)).as("the cancelled one did not hold it").isEmpty();
    }

    @Test
    @DisplayName("E7, M7: a task that was asked to cancel is cancelled instead of parked, its effect still unknown")
    void aTaskThatIsToCancelIsCancelled() {
        Lease lease = intended(KEYED);
        apply(new Operation.Cancel(lease.taskId()));
        applied(park(lease));
        assertThat(read(lease.taskId()).progress())
                .isEqualTo(new Task.Progress(TaskState.CANCELLED, 1, 0, 0, null, true, clock.instant(), null, REASON));
        assertThat(stateOf(lease)).isEqualTo(EffectState.UNKNOWN);
        changesNothing(() -> applied(park(lease)));
    }

    @Test
    @DisplayName("E7, S10: a replaced task that parks is cancelled, and its successor becomes pending")
    void aReplacedTaskThatParks() {
        Lease lease = intended(KEYED);
        TaskId next = create(KEYED.replacing());
        applied(park(lease));
        assertThat(state(lease.taskId())).isEqualTo(TaskState.CANCELLED);
        assertThat(claimIds(CLAIM)).containsExactly(next);
        assertThat(effects(next)).isEmpty();
    }

    @Test
    @DisplayName("E7: if its effect was resolved meanwhile, a task that parks is pending at once")
    void anEffectThatWasResolvedMeanwhile() {
        for (Verdict verdict : List.of(Verdict.DONE, Verdict.NOT_DONE)) {
            Lease first = leftUnknown(Draft.plain());
            clock.advance(Duration.ofSeconds(1));
            Lease second = claimOne();
            applied(resolve(first, verdict));
            EffectRecord resolved = effect(first);
            clock.advance(Duration.ofSeconds(1));
            applied(park(second));
            assertThat(effect(first)).as("nothing to note").isEqualTo(resolved);
            assertThat(read(first.taskId()).progress())
                    .isEqualTo(
                            new Task.Progress(TaskState.PENDING, 2, 0, 0, clock.instant(), false, null, null, REASON));
            assertThat(store.attempts(first.taskId()).getLast().outcome()).isEqualTo(Attempt.Outcome.PARKED);
            applied(new Settlement.Complete(claimOne(), null));
        }
    }

    @Test
    @DisplayName("E7: a task that parks because of an effect that is known, or was never intended, is pending at once")
    void nothingToWaitFor() {
        Lease first = intended(KEYED);
        applied(done(first));
        EffectRecord recorded = effect(first);
        applied(park(first));
        assertThat(state(first.taskId())).isEqualTo(TaskState.PENDING);
        assertThat(effect(first)).isEqualTo(recorded);
        Lease second = claimOne();
        applied(park(second, new EffectId(first.taskId(), "other", 0)));
        assertThat(state(first.taskId())).isEqualTo(TaskState.PENDING);
        assertThat(effect(first)).isEqualTo(recorded);
        Lease third = claimOne();
        apply(new Operation.Cancel(first.taskId()));
        applied(park(third));
        assertThat(state(first.taskId())).isEqualTo(TaskState.CANCELLED);
    }

    @Test
    @DisplayName(
            "E7: a park makes its attempt the last one of the effect, and a resolution of that attempt wakes the task")
    void aParkTakesTheEffectOver() {
        Instant intendedAt = clock.instant();
        Lease first = leftUnknown(KEYED);
        clock.advance(Duration.ofSeconds(1));
        Lease second = claimOne();
        applied(park(second));
        assertThat(effect(first).by()).isEqualTo(second.attemptId());
        assertThat(effect(first).intendedAt()).isEqualTo(intendedAt);
        assertThat(effect(first).note()).isEqualTo(REASON);
        for (Verdict verdict : Verdict.values()) {
            assertStale(resolve(first, verdict));
        }
        applied(resolve(second, Verdict.DONE));
        assertThat(state(first.taskId())).isEqualTo(TaskState.PENDING);
    }

    @Test
    @DisplayName(
            "E7, E4: a rerun that parks because of an effect of the task before it waits for the resolution of that effect")
    void aRerunParks() {
        Lease first = intended(KEYED);
        applied(new Settlement.Fail(first, true, "too slow"));
        Lease second = begin(KEYED);
        applied(park(second, charge(first)));
        assertThat(state(second.taskId())).isEqualTo(TaskState.WAITING);
        assertStale(resolve(first, Verdict.DONE));
        applied(resolve(charge(first), second, Verdict.DONE));
        assertThat(claimOne()).isEqualTo(lease(second.taskId(), 2));
        assertThat(state(first.taskId())).as("the old task stays as it was").isEqualTo(TaskState.TIMED_OUT);
    }

    @Test
    @DisplayName("E7, M2, M3: a park that is sent again is applied and changes nothing, another end is stale")
    void aParkIsRepeated() {
        Lease lease = parked(KEYED);
        changesNothing(() -> applied(park(lease)));
        for (Settlement end : MoveContract.endings(lease)) {
            if (!(end instanceof Settlement.Park)) {
                assertStale(end);
            }
        }
        applied(resolve(lease, Verdict.NOT_DONE));
        changesNothing(() -> applied(park(lease)));
        Lease second = claimOne();
        applied(intend(second));
        changesNothing(() -> applied(park(lease)));
        applied(new Settlement.Fail(second, false, "broken"));
        changesNothing(() -> applied(park(lease)));
    }

    @Test
    @DisplayName("E7, M1: a park with an old attempt is stale, and changes neither the task nor the effect")
    void aLateParkIsStale() {
        Lease first = intended(KEYED);
        leasesExpire();
        Lease second = claimOne();
        assertStale(park(first), park(lease(first.taskId(), 3)));
        applied(new Settlement.Retry(second, Duration.ZERO, "again"));
        assertStale(park(first), park(second));
        refused(Settled.NOT_FOUND, park(lease(ids.next(), 1)));
    }

    @Test
    @DisplayName("E7: a task can be parked again and again, and its attempts only rise")
    void aTaskIsParkedAgain() {
        Lease lease = parked(KEYED);
        for (int attempt = 2; attempt < 6; attempt++) {
            applied(resolve(lease, Verdict.NOT_DONE));
            lease = claimOne();
            assertThat(lease).isEqualTo(lease(lease.taskId(), attempt));
            applied(intend(lease));
            applied(park(lease));
            assertThat(state(lease.taskId())).isEqualTo(TaskState.WAITING);
        }
        assertThat(read(lease.taskId()).progress().failures()).isZero();
        assertThat(store.attempts(lease.taskId())).extracting(Attempt::outcome).containsOnly(Attempt.Outcome.PARKED);
    }

    @Test
    @DisplayName("E7, M6: a parked task that is cancelled ends at once, and its effect stays unknown")
    void aParkedTaskIsCancelled() {
        Ear ear = new Ear();
        store.listen(ear);
        Lease lease = parked(KEYED);
        EffectRecord unknown = effect(lease);
        applied(new Operation.Cancel(lease.taskId()));
        ear.awaitEnded(lease.taskId());
        assertThat(read(lease.taskId()).progress())
                .isEqualTo(new Task.Progress(TaskState.CANCELLED, 1, 0, 0, null, true, clock.instant(), null, REASON));
        assertThat(effect(lease)).isEqualTo(unknown);
        changesNothing(() -> applied(new Operation.Cancel(lease.taskId())));
    }

    @Test
    @DisplayName("E7, S10: a parked task is replaced at once, by a task of a lineage of its own")
    void aParkedTaskIsReplaced() {
        Lease lease = parked(KEYED);
        TaskId next = create(KEYED.replacing());
        assertThat(state(lease.taskId())).isEqualTo(TaskState.CANCELLED);
        assertThat(claimIds(CLAIM)).containsExactly(next);
        assertThat(read(next).lineage()).isEqualTo(next);
        assertThat(effects(next)).isEmpty();
        assertThat(stateOf(lease)).isEqualTo(EffectState.UNKNOWN);
    }

    @Test
    @DisplayName(
            "E7, S2: a parked task holds its key, whatever its window: it is returned, and not released or redriven")
    void aParkedTaskHoldsItsKey() {
        Draft draft = KEYED.ttl(Duration.ofHours(1));
        Lease lease = parked(draft);
        clock.advance(Duration.ofDays(1));
        countsOnly(1, draft, () -> {
            Returned returned = (Returned) submit(draft);
            assertThat(returned.existing().taskId()).isEqualTo(lease.taskId());
            assertThat(returned.existing().state()).isEqualTo(TaskState.WAITING);
            assertThat(apply(new Operation.ReleaseKey(draft.identity(), lease.taskId())))
                    .isEqualTo(Operated.HELD);
            assertThat(apply(new Operation.Redrive(lease.taskId(), 1))).isEqualTo(Operated.STALE);
            assertThat(store.sweep(ALL).records()).isZero();
        });
    }

    @Test
    @DisplayName("E7, Q9: a depth counts a parked task as waiting")
    void depthsCountAParkedTask() {
        Lease lease = parked(Draft.plain());
        clock.advance(Duration.ofDays(1));
        assertThat(store.depths().get(Draft.QUEUE)).isEqualTo(new QueueDepth(0, 0, 0, 1, 0, null));
        applied(resolve(lease, Verdict.DONE));
        assertThat(store.depths().get(Draft.QUEUE)).isEqualTo(new QueueDepth(1, 0, 0, 0, 0, clock.instant()));
    }

    @Test
    @DisplayName("E7, W1: a sweep leaves a parked task alone, and its effects too")
    void aSweepLeavesAParkedTaskAlone() {
        parked(KEYED.ttl(Duration.ofHours(1)));
        clock.advance(Duration.ofDays(1));
        changesNothing(() -> {
            store.sweep(ALL);
            store.sweep(new SweepRequest(Duration.ZERO, Map.of(Draft.QUEUE, Duration.ZERO), Duration.ZERO, 1_000));
        });
    }

    @Test
    @DisplayName("E7, M10: what a batch does before and after a park is done in order")
    void aParkInABatch() {
        Lease lease = begin(KEYED);
        assertThat(store.operate(List.of(resolve(lease, Verdict.DONE)))).containsExactly(Operated.NOT_FOUND);
        assertThat(store.settle(List.of(done(lease), intend(lease))))
                .containsExactly(Settled.NOT_FOUND, Settled.APPLIED);
        assertThat(store.operate(List.of(resolve(lease, Verdict.DONE)))).containsExactly(Operated.HELD);
        assertThat(store.settle(List.of(
                        intend(lease), park(lease), done(lease), new Settlement.Extend(lease, ClaimDraft.LEASE))))
                .containsExactly(Settled.APPLIED, Settled.APPLIED, Settled.STALE, Settled.STALE);
        assertThat(store.operate(List.of(resolve(lease, Verdict.NOT_DONE), resolve(lease, Verdict.DONE))))
                .containsExactly(Operated.APPLIED, Operated.STALE);
        assertThat(store.settle(List.of(done(lease), new Settlement.Extend(lease, ClaimDraft.LEASE))))
                .containsExactly(Settled.CONCLUDED, Settled.STALE);
        assertThat(state(lease.taskId())).isEqualTo(TaskState.PENDING);
        assertThat(stateOf(lease)).isEqualTo(EffectState.NOT_DONE);
    }
}
