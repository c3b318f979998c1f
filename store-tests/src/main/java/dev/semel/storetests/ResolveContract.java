package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Attempt;
import dev.semel.store.DeadLetter;
import dev.semel.store.EffectOutcome.How;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.QueueSettings;
import dev.semel.store.Resolution;
import dev.semel.store.Resolution.Verdict;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.task.EffectId;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The law of a resolution about an effect that is unknown: E8. */
public abstract class ResolveContract extends EffectStoreContract {

    private static final String DEAD = "dead-letters";

    /** For subclasses. */
    protected ResolveContract() {}

    // What a resolution does

    @Test
    @DisplayName("E8: a resolution as done settles the effect with a result, and the parked task continues at once")
    void doneSettlesIt() {
        Ear ear = new Ear();
        store.listen(ear);
        Instant intendedAt = clock.instant();
        Lease lease = parked(KEYED);
        clock.advance(Duration.ofMinutes(1));
        ear.forget();
        applied(resolve(lease, Verdict.DONE));
        ear.awaitDue(Draft.QUEUE);
        assertThat(effect(lease))
                .isEqualTo(new EffectRecord(
                        charge(lease),
                        lease.attemptId(),
                        EffectState.DONE,
                        intendedAt,
                        null,
                        false,
                        clock.instant(),
                        How.RESOLVED,
                        "\"told\"",
                        REASON,
                        kept(Verdict.DONE, "ann")));
        assertThat(read(lease.taskId()).progress())
                .isEqualTo(new Task.Progress(TaskState.PENDING, 1, 0, 0, clock.instant(), false, null, null, REASON));
        Lease second = claimOne();
        assertConcluded(intend(second), done(second));
    }

    @Test
    @DisplayName("E8: a resolution as not done lets the parked task continue and intend the effect again")
    void notDoneLetsItRun() {
        Ear ear = new Ear();
        store.listen(ear);
        Instant intendedAt = clock.instant();
        Lease lease = parked(KEYED);
        clock.advance(Duration.ofMinutes(1));
        ear.forget();
        applied(resolve(lease, Verdict.NOT_DONE));
        ear.awaitDue(Draft.QUEUE);
        assertThat(effect(lease))
                .isEqualTo(new EffectRecord(
                        charge(lease),
                        lease.attemptId(),
                        EffectState.NOT_DONE,
                        intendedAt,
                        null,
                        false,
                        clock.instant(),
                        How.RESOLVED,
                        null,
                        REASON,
                        kept(Verdict.NOT_DONE, "ann")));
        assertThat(read(lease.taskId()).progress().dueAt()).isEqualTo(clock.instant());
        Lease second = claimOne();
        applied(intend(second));
        applied(done(second));
        assertThat(effect(lease).resolution()).as("the resolution is kept").isEqualTo(kept(Verdict.NOT_DONE, "ann"));
    }

    @Test
    @DisplayName(
            "E8: giving up fails the parked task with the person's reason and no further failure; the effect stays unknown")
    void givingUpFailsTheTask() {
        Ear ear = new Ear();
        store.listen(ear);
        TaskId id = create(KEYED);
        applied(new Settlement.Retry(claimOne(), Duration.ZERO, "first"));
        Lease lease = claimOne();
        applied(intend(lease));
        applied(park(lease));
        EffectRecord unknown = effect(lease);
        List<Attempt> attempts = store.attempts(id);
        clock.advance(Duration.ofMinutes(1));
        Operation.Resolve operation = resolve(lease, Verdict.GIVE_UP);
        applied(operation);
        ear.awaitEnded(id);
        assertThat(read(id).progress())
                .isEqualTo(new Task.Progress(
                        TaskState.FAILED, 2, 1, 0, null, false, clock.instant(), null, operation.givenUp()));
        assertThat(operation.givenUp()).contains("ann", "charge", "looked it up");
        assertThat(store.attempts(id))
                .as("the attempt was parked, and stays so")
                .isEqualTo(attempts);
        assertThat(effect(lease))
                .isEqualTo(new EffectRecord(
                        unknown.id(),
                        lease.attemptId(),
                        EffectState.UNKNOWN,
                        unknown.intendedAt(),
                        null,
                        false,
                        null,
                        null,
                        null,
                        REASON,
                        kept(Verdict.GIVE_UP, "ann")));
        assertThat(claimIds(CLAIM)).isEmpty();
        assertThat(record(KEYED).state()).isEqualTo(TaskState.FAILED);
    }

    @Test
    @DisplayName("E8, Q6: a task that is given up creates one task in the dead-letter queue, if its queue has one")
    void givingUpMakesADeadLetter() {
        set(Draft.QUEUE, QueueSettings.builder().deadLetterQueue(DEAD));
        Lease lease = parked(KEYED);
        assertThat(letters()).isEmpty();
        Operation.Resolve operation = resolve(lease, Verdict.GIVE_UP);
        applied(operation);
        changesNothing(() -> applied(operation));
        Task letter = letters().getFirst();
        assertThat(letters()).hasSize(1);
        assertThat(letter.id())
                .isEqualTo(DeadLetter.of(read(lease.taskId()), DEAD, clock.instant())
                        .id());
        assertThat(letter.input()).contains(lease.taskId().toString(), "\"failed\"", "Given up by ann");
        Lease redriven = redriven(lease);
        applied(park(redriven));
        applied(resolve(redriven, Verdict.GIVE_UP));
        assertThat(letters()).as("one for each death").hasSize(2);
    }

    private List<Task> letters() {
        return Snapshot.listed(store, TaskQuery.all(100)).stream()
                .filter(task -> task.queue().equals(DEAD))
                .toList();
    }

    private Lease redriven(Lease dead) {
        applied(new Operation.Redrive(dead.taskId(), dead.attempt()));
        return claimOne();
    }

    @Test
    @DisplayName("E8, M8: a task that was given up is redriven at its last attempt like any other, even if sent again")
    void aGivenUpTaskIsRedriven() {
        Lease lease = parked(KEYED);
        applied(resolve(lease, Verdict.GIVE_UP));
        assertStale(new Operation.Redrive(lease.taskId(), 0), new Operation.Redrive(lease.taskId(), 2));
        Operation redrive = new Operation.Redrive(lease.taskId(), 1);
        applied(redrive);
        assertThat(state(lease.taskId())).isEqualTo(TaskState.PENDING);
        changesNothing(() -> applied(redrive));
        Lease second = claimOne();
        changesNothing(() -> applied(redrive));
        assertThat(stateOf(lease)).as("giving up does not resolve it").isEqualTo(EffectState.UNKNOWN);
        applied(intend(second));
        applied(park(second));
        changesNothing(() -> applied(redrive));
        applied(resolve(second, Verdict.GIVE_UP));
        changesNothing(() -> applied(redrive));
        applied(new Operation.Redrive(lease.taskId(), 2));
        assertThat(claimOne()).isEqualTo(lease(lease.taskId(), 3));
    }

    @Test
    @DisplayName("E8, M8: a redrive at an attempt that was parked but not given up is stale")
    void aParkIsNoDeath() {
        Lease lease = parked(KEYED);
        applied(resolve(lease, Verdict.DONE));
        applied(new Settlement.Fail(claimOne(), false, "broken"));
        assertStale(new Operation.Redrive(lease.taskId(), 1));
        applied(new Operation.Redrive(lease.taskId(), 2));
        assertStale(new Operation.Redrive(lease.taskId(), 1));
    }

    @Test
    @DisplayName("E8, S9: after a task was given up a rerun continues the same lineage")
    void aGivenUpTaskIsRerun() {
        Lease lease = parked(KEYED);
        applied(resolve(lease, Verdict.GIVE_UP));
        Lease rerun = begin(KEYED);
        assertThat(read(rerun.taskId()).run()).isEqualTo(2);
        assertThat(read(rerun.taskId()).lineage()).isEqualTo(lease.taskId());
        applied(intend(rerun, charge(lease)));
        assertThat(effect(lease).by()).isEqualTo(rerun.attemptId());
        assertThat(effect(lease).resolution()).isEqualTo(kept(Verdict.GIVE_UP, "ann"));
    }

    @Test
    @DisplayName("E8, Q7: a task that is given up keeps its data, also in a queue with a retention of zero")
    void aGivenUpTaskKeepsItsData() {
        set(Draft.QUEUE, QueueSettings.builder().retention(Duration.ZERO));
        Lease lease = parked(KEYED);
        applied(resolve(lease, Verdict.GIVE_UP));
        assertThat(read(lease.taskId()).input()).isEqualTo(KEYED.input());
        assertThat(stateOf(lease)).isEqualTo(EffectState.UNKNOWN);
    }

    @Test
    @DisplayName("E8: a resolution as done may have no result")
    void doneWithoutAResult() {
        Lease lease = parked(KEYED);
        applied(resolve(charge(lease), lease, new Resolution(Verdict.DONE, null, "ann", "looked it up")));
        assertThat(stateOf(lease)).isEqualTo(EffectState.DONE);
        assertThat(effect(lease).result()).isNull();
    }

    @Test
    @DisplayName("E8: a resolution of a second effect that the parked attempt left lets the task continue as well")
    void aSecondEffectOfTheAttempt() {
        Lease lease = intended(KEYED);
        EffectId mail = new EffectId(lease.taskId(), "mail", 0);
        applied(intend(lease, mail));
        applied(park(lease));
        applied(resolve(mail, lease, Verdict.DONE));
        assertThat(state(lease.taskId())).isEqualTo(TaskState.PENDING);
        Lease second = claimOne();
        applied(resolve(charge(lease), lease, Verdict.NOT_DONE));
        applied(park(second));
        assertThat(state(lease.taskId())).as("resolved meanwhile").isEqualTo(TaskState.PENDING);
    }

    // Once

    @Test
    @DisplayName("E8: a resolution that is sent again is applied and changes nothing, whatever the task has done since")
    void aResolutionIsRepeated() {
        for (Verdict verdict : List.of(Verdict.DONE, Verdict.NOT_DONE)) {
            Lease lease = parked(Draft.plain());
            Operation.Resolve operation = resolve(lease, verdict);
            applied(operation);
            changesNothing(() -> applied(operation));
            Lease second = claimOne();
            changesNothing(() -> applied(operation));
            Settled intended = apply(intend(second));
            assertThat(intended).isEqualTo(verdict == Verdict.DONE ? Settled.CONCLUDED : Settled.APPLIED);
            changesNothing(() -> applied(operation));
            applied(new Settlement.Complete(second, null));
            clock.advance(Duration.ofDays(1));
            changesNothing(() -> applied(operation));
        }
        Lease lease = parked(Draft.plain());
        Operation.Resolve operation = resolve(lease, Verdict.GIVE_UP);
        applied(operation);
        changesNothing(() -> applied(operation));
        clock.advance(Duration.ofDays(1));
        changesNothing(() -> applied(operation));
        applied(intend(redriven(lease)));
        changesNothing(() -> applied(operation));
    }

    @Test
    @DisplayName("E8: of two people the second is stale, even if both resolve alike")
    void theSecondPersonIsStale() {
        for (Verdict verdict : List.of(Verdict.DONE, Verdict.NOT_DONE)) {
            Lease lease = parked(Draft.plain());
            applied(resolve(lease, verdict));
            for (Verdict other : Verdict.values()) {
                assertStale(resolve(charge(lease), lease, word(other, "ben")));
            }
            Resolution otherReason = new Resolution(verdict, null, "ann", "another reason");
            assertStale(resolve(charge(lease), lease, otherReason));
            applied(new Settlement.Complete(claimOne(), null));
            assertStale(resolve(charge(lease), lease, word(verdict, "ben")));
        }
    }

    @Test
    @DisplayName("E8: an effect that was given up can still be resolved; the task stays failed")
    void foundOutAfterItWasGivenUp() {
        Lease lease = parked(KEYED);
        applied(resolve(lease, Verdict.GIVE_UP));
        Task failed = read(lease.taskId());
        clock.advance(Duration.ofMinutes(1));
        applied(resolve(charge(lease), lease, word(Verdict.GIVE_UP, "ben")));
        assertThat(effect(lease).resolution()).isEqualTo(kept(Verdict.GIVE_UP, "ben"));
        applied(resolve(lease, Verdict.DONE));
        assertThat(stateOf(lease)).isEqualTo(EffectState.DONE);
        assertThat(effect(lease).resolution()).isEqualTo(kept(Verdict.DONE, "ann"));
        assertThat(read(lease.taskId())).isEqualTo(failed);
        assertStale(resolve(lease, Verdict.GIVE_UP));
    }

    // Refused

    @Test
    @DisplayName("E8: a resolution is rejected while the effect is in progress, even after the lease has expired")
    void itIsHeldWhileInProgress() {
        Lease lease = intended(KEYED);
        refuseAll(Operated.HELD, lease);
        leasesExpire();
        refuseAll(Operated.HELD, lease);
        apply(new Operation.Cancel(lease.taskId()));
        refuseAll(Operated.HELD, lease);
        applied(new Settlement.Retry(lease, Duration.ZERO, "again"));
        applied(resolve(lease, Verdict.DONE));
    }

    private void refuseAll(Operated answer, Lease left) {
        for (Verdict verdict : Verdict.values()) {
            refused(answer, resolve(left, verdict));
        }
    }

    @Test
    @DisplayName(
            "E8: it is stale once another attempt has recorded something about the effect, and for an attempt that never did")
    void itIsStaleAfterAnotherAttempt() {
        Lease first = leftUnknown(KEYED);
        refuseAll(Operated.STALE, lease(first.taskId(), 0));
        refuseAll(Operated.STALE, lease(first.taskId(), 2));
        Lease second = claimOne();
        refuseAll(Operated.STALE, second);
        applied(intend(second));
        refuseAll(Operated.STALE, first);
        applied(new Settlement.PutBack(second, Duration.ZERO));
        refuseAll(Operated.STALE, first);
        Lease third = claimOne();
        applied(park(third));
        refuseAll(Operated.STALE, first);
        refuseAll(Operated.STALE, second);
        applied(resolve(third, Verdict.NOT_DONE));
        assertStale(resolve(first, Verdict.DONE), resolve(second, Verdict.GIVE_UP));
    }

    @Test
    @DisplayName("E8: of an effect whose outcome an attempt has recorded it is stale, and of none it is not found")
    void aKnownEffectIsNotResolved() {
        Lease lease = begin(KEYED);
        refuseAll(Operated.NOT_FOUND, lease);
        refuseAll(Operated.NOT_FOUND, lease(ids.next(), 1));
        applied(intend(lease));
        applied(notDone(lease));
        refuseAll(Operated.STALE, lease);
        applied(intend(lease));
        applied(done(lease));
        refuseAll(Operated.STALE, lease);
        applied(new Settlement.Complete(lease, null));
        refuseAll(Operated.STALE, lease);
    }

    @Test
    @DisplayName("E8: an earlier resolution can be made again when another attempt has left the effect unknown")
    void theSameResolutionCountsAgain() {
        Lease lease = parked(KEYED);
        applied(resolve(lease, Verdict.NOT_DONE));
        Lease second = claimOne();
        applied(intend(second));
        refuseAll(Operated.HELD, second);
        applied(park(second));
        applied(resolve(second, Verdict.NOT_DONE));
        assertThat(state(lease.taskId())).isEqualTo(TaskState.PENDING);
        Lease third = claimOne();
        applied(intend(third));
        applied(done(third));
        assertStale(resolve(third, Verdict.NOT_DONE));
    }

    @Test
    @DisplayName("E8, M10: resolutions in one batch are applied in order")
    void wordsInABatch() {
        Lease lease = parked(KEYED);
        assertThat(store.operate(List.of(
                        resolve(new EffectId(lease.taskId(), "other", 0), lease, Verdict.DONE),
                        resolve(charge(lease), lease(lease.taskId(), 2), Verdict.DONE),
                        resolve(lease, Verdict.NOT_DONE),
                        resolve(charge(lease), lease, word(Verdict.DONE, "ben")),
                        resolve(lease, Verdict.NOT_DONE),
                        new Operation.Cancel(lease.taskId()))))
                .containsExactly(
                        Operated.NOT_FOUND,
                        Operated.STALE,
                        Operated.APPLIED,
                        Operated.STALE,
                        Operated.APPLIED,
                        Operated.APPLIED);
        assertThat(stateOf(lease)).isEqualTo(EffectState.NOT_DONE);
        assertThat(state(lease.taskId())).isEqualTo(TaskState.CANCELLED);
    }
}
