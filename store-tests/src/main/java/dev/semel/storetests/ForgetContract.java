package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.store.QueueSettings;
import dev.semel.store.Resolution;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.StoredEffect;
import dev.semel.store.Submitted.Created;
import dev.semel.store.SweepRequest;
import dev.semel.task.EffectId;
import dev.semel.task.Lease;
import dev.semel.task.ReusePolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The law of deleted effects: E10. */
public abstract class ForgetContract extends EffectStoreContract {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Draft SHORT = KEYED.ttl(HOUR);

    /** Removes what was completed or cancelled, and keeps dead letters. */
    private static final SweepRequest NOT_THE_DEAD =
            new SweepRequest(Duration.ZERO, Map.of(), Duration.ofDays(1_000), 1_000);

    /** Removes dead letters, and keeps what was completed or cancelled. */
    private static final SweepRequest THE_DEAD =
            new SweepRequest(Duration.ofDays(1_000), Map.of(), Duration.ZERO, 1_000);

    /** For subclasses. */
    protected ForgetContract() {}

    /** A task with an effect that is done, that has ended one way. */
    private Lease ended(TaskState end, Draft draft) {
        Lease lease = intended(draft);
        applied(done(lease));
        applied(
                switch (end) {
                    case COMPLETED -> new Settlement.Complete(lease, "1");
                    case FAILED -> new Settlement.Fail(lease, false, "broken");
                    case TIMED_OUT -> new Settlement.Fail(lease, true, "too slow");
                    case CANCELLED -> new Settlement.Cancelled(lease);
                    case PENDING, RUNNING, WAITING -> throw new IllegalArgumentException("no end: " + end);
                });
        return lease;
    }

    @Test
    @DisplayName("E10: effects stay as long as a task of their lineage is stored, whatever its key and its window")
    void theyStayWithTheirTask() {
        Lease completed = ended(TaskState.COMPLETED, SHORT);
        Lease failed = ended(TaskState.FAILED, Draft.plain());
        Lease waiting = parked(Draft.plain());
        List<EffectRecord> before = ledger();
        clock.advance(Duration.ofDays(1));
        store.sweep(new SweepRequest(Duration.ofDays(2), Map.of(), Duration.ofDays(2), 1_000));
        assertThat(store.record(SHORT.identity())).isEmpty();
        assertThat(ledger()).isEqualTo(before);
        Lease next = ended(TaskState.COMPLETED, SHORT);
        assertThat(read(next.taskId()).lineage()).isEqualTo(next.taskId());
        applied(new Operation.ReleaseKey(SHORT.identity(), next.taskId()));
        assertThat(ledger())
                .extracting(effect -> effect.id().lineage())
                .containsExactly(completed.taskId(), failed.taskId(), waiting.taskId(), next.taskId());
    }

    @Test
    @DisplayName(
            "E10: the effects of a task without a key are deleted with the sweep that removes it, and no others are")
    void theyGoWithTheirTask() {
        for (TaskState end : List.of(TaskState.COMPLETED, TaskState.FAILED, TaskState.CANCELLED)) {
            Lease kept = intended(Draft.plain());
            Lease gone = ended(end, Draft.plain());
            store.sweep(ALL);
            assertThat(store.find(List.of(gone.taskId()))).isEmpty();
            assertThat(effects(gone.taskId())).isEmpty();
            assertThat(stateOf(kept)).isEqualTo(EffectState.IN_PROGRESS);
            assertStale(done(gone));
        }
        assertThat(ledger()).hasSize(3);
    }

    @Test
    @DisplayName("W5: effects are deleted with their erased task, or stay without what they answered")
    void erasedWithTheirTask() {
        Lease completed = ended(TaskState.COMPLETED, KEYED);
        applied(new Operation.Erase(completed.taskId()));
        assertThat(effects(completed.taskId())).isEmpty();

        Draft again = Draft.keyed("again");
        Lease failed = ended(TaskState.FAILED, again);
        applied(new Operation.Erase(failed.taskId()));
        EffectRecord left = effect(failed);
        assertThat(left.state()).isEqualTo(EffectState.DONE);
        assertThat(left.result()).isNull();
        assertThat(left.note()).isNull();
        Lease rerun = begin(again);
        assertThat(read(rerun.taskId()).lineage())
                .as("the rerun knows what was done")
                .isEqualTo(failed.taskId());
    }

    @Test
    @DisplayName("W5: an erasure leaves the answers of effects that another task of the lineage may read")
    void erasedBesideARerun() {
        Lease failed = ended(TaskState.FAILED, KEYED);
        Lease rerun = begin(KEYED);
        applied(new Operation.Erase(failed.taskId()));
        assertThat(effect(failed).result()).isEqualTo("\"receipt\"");
        applied(new Settlement.Fail(rerun, false, "broken"));
        applied(new Operation.Erase(rerun.taskId()));
        assertThat(effect(failed).result()).isNull();
    }

    @Test
    @DisplayName("W5: the reason of a resolution is erased, and who resolved it stays known")
    void erasedReasons() {
        Lease lease = intended(KEYED);
        applied(new Settlement.Fail(lease, false, "broken"));
        applied(resolve(lease, Resolution.Verdict.DONE));
        applied(new Operation.Erase(lease.taskId()));
        assertThat(effect(lease).state()).isEqualTo(EffectState.DONE);
        assertThat(effect(lease).result()).isNull();
        assertThat(effect(lease).resolution())
                .isEqualTo(new Resolution(Resolution.Verdict.DONE, null, "ann", StoredEffect.ERASED));
    }

    @Test
    @DisplayName("E10: all effects of one lineage are deleted, and those of one that is still kept stay")
    void allOfThemGo() {
        Lease gone = begin(Draft.plain());
        for (int index = 0; index < 50; index++) {
            for (String name : List.of("0", "Z", "mail", "z".repeat(100))) {
                applied(intend(gone, new EffectId(gone.taskId(), name, index)));
            }
        }
        applied(new Settlement.Complete(gone, null));
        clock.advance(MILLISECOND);
        Lease kept = ended(TaskState.COMPLETED, Draft.plain());
        assertThat(ledger()).hasSize(201);
        assertThat(store.sweep(new SweepRequest(MILLISECOND, Map.of(), MILLISECOND, 1_000))
                        .tasks())
                .isEqualTo(1);
        assertThat(ledger()).containsExactly(effect(kept));
    }

    @Test
    @DisplayName(
            "E10: with a key, the effects of a completed task are deleted with its data: a run after success is another lineage")
    void theyGoWithACompletedTask() {
        Lease lease = ended(TaskState.COMPLETED, KEYED);
        store.sweep(ALL);
        assertThat(record(KEYED).dataGone()).isTrue();
        assertThat(ledger()).isEmpty();
        Lease again = begin(KEYED.policy(ReusePolicy.afterFinish()));
        assertThat(read(again.taskId()).lineage()).isNotEqualTo(lease.taskId());
    }

    @Test
    @DisplayName("E10: while a record remembers a task that did not succeed its effects stay, and a rerun finds them")
    void theyStayWithATombstone() {
        for (TaskState end : List.of(TaskState.FAILED, TaskState.TIMED_OUT, TaskState.CANCELLED)) {
            Draft draft = Draft.keyed(end.word());
            Lease lease = ended(end, draft);
            EffectRecord recorded = effect(lease);
            store.sweep(ALL);
            assertThat(store.find(List.of(lease.taskId()))).isEmpty();
            assertThat(effect(lease)).isEqualTo(recorded);
            changesNothing(() -> applied(done(lease)));
            Lease rerun = begin(draft);
            assertThat(effect(read(rerun.taskId()).lineage())).isEqualTo(recorded);
            assertConcluded(intend(rerun, charge(lease)));
            applied(new Settlement.Complete(rerun, null));
            store.sweep(ALL);
            assertThat(ledger())
                    .as("the rerun has completed and is no longer stored")
                    .isEmpty();
        }
    }

    @Test
    @DisplayName("E10: they are deleted with the sweep that removes such a record, even in one step with the task")
    void theyGoWithTheRecord() {
        Lease lease = ended(TaskState.FAILED, SHORT);
        store.sweep(ALL);
        clock.advance(HOUR.minus(MILLISECOND));
        store.sweep(ALL);
        assertThat(effect(lease).state()).isEqualTo(EffectState.DONE);
        clock.advance(MILLISECOND);
        assertThat(store.sweep(ALL).records()).isEqualTo(1);
        assertThat(ledger()).isEmpty();
        ended(TaskState.FAILED, SHORT);
        clock.advance(HOUR);
        store.sweep(ALL);
        assertThat(store.record(SHORT.identity())).isEmpty();
        assertThat(ledger()).isEmpty();
    }

    @Test
    @DisplayName("E10: they are deleted with the release of such a record, and stay if the task is still stored")
    void theyGoWithTheRelease() {
        Lease stored = ended(TaskState.FAILED, KEYED);
        applied(new Operation.ReleaseKey(KEYED.identity(), stored.taskId()));
        assertThat(stateOf(stored)).isEqualTo(EffectState.DONE);
        Lease swept = ended(TaskState.CANCELLED, KEYED);
        store.sweep(NOT_THE_DEAD);
        assertThat(ledger()).hasSize(2);
        applied(new Operation.ReleaseKey(KEYED.identity(), swept.taskId()));
        assertThat(ledger()).containsExactly(effect(stored));
        applied(new Operation.Redrive(stored.taskId(), 1));
        assertConcluded(intend(claimOne()));
    }

    @Test
    @DisplayName("E10: they are deleted with the submission that takes over the record of a deleted task")
    void theyGoWithATakeOver() {
        Lease old = ended(TaskState.FAILED, SHORT);
        store.sweep(ALL);
        clock.advance(HOUR);
        assertThat(stateOf(old)).isEqualTo(EffectState.DONE);
        TaskId next = create(SHORT);
        assertThat(read(next).lineage()).isEqualTo(next);
        assertThat(ledger()).isEmpty();
        Lease lease = claimOne();
        applied(intend(lease));
        applied(new Settlement.Complete(lease, null));
        clock.advance(HOUR);
        create(SHORT);
        assertThat(stateOf(lease)).as("its task is still there").isEqualTo(EffectState.UNKNOWN);
        store.sweep(ALL);
        assertThat(ledger()).isEmpty();
    }

    @Test
    @DisplayName("E10: they are deleted with the redrive that takes over the record of a deleted task")
    void theyGoWithARedrive() {
        Lease dead = ended(TaskState.FAILED, SHORT);
        applied(new Operation.ReleaseKey(SHORT.identity(), dead.taskId()));
        Lease cancelled = ended(TaskState.CANCELLED, SHORT);
        store.sweep(NOT_THE_DEAD);
        clock.advance(HOUR);
        assertThat(stateOf(cancelled)).isEqualTo(EffectState.DONE);
        applied(new Operation.Redrive(dead.taskId(), 1));
        assertThat(ledger()).containsExactly(effect(dead));
    }

    @Test
    @DisplayName("E10: a lineage of several runs keeps its effects until the last of them is deleted")
    void severalRuns() {
        Lease first = ended(TaskState.FAILED, KEYED);
        Lease second = begin(KEYED);
        applied(new Settlement.Complete(second, null));
        store.sweep(NOT_THE_DEAD);
        assertThat(store.find(List.of(second.taskId()))).isEmpty();
        assertThat(stateOf(first)).as("the dead one could be redriven").isEqualTo(EffectState.DONE);
        store.sweep(THE_DEAD);
        assertThat(ledger()).isEmpty();

        Draft other = Draft.keyed("other");
        Lease third = ended(TaskState.FAILED, other);
        Lease fourth = begin(other);
        applied(new Settlement.Complete(fourth, null));
        store.sweep(THE_DEAD);
        assertThat(store.find(List.of(third.taskId()))).isEmpty();
        assertThat(stateOf(third)).as("the newer one is still there").isEqualTo(EffectState.DONE);
        store.sweep(NOT_THE_DEAD);
        assertThat(ledger()).isEmpty();
    }

    @Test
    @DisplayName("E10, S10: a replaced task's effects are deleted with its data, those of its successor stay")
    void aReplacedTask() {
        Lease old = intended(KEYED);
        TaskId next = create(KEYED.replacing());
        applied(new Settlement.Cancelled(old));
        Lease successor = claimOne();
        assertThat(successor.taskId()).isEqualTo(next);
        applied(intend(successor));
        store.sweep(ALL);
        assertThat(ledger()).containsExactly(effect(successor));
    }

    @Test
    @DisplayName("E10, S5: a submission that is sent again continues nothing and removes nothing")
    void aRepeatedSubmission() {
        NewTask task = task(KEYED);
        submit(task);
        Lease lease = claimOne();
        applied(intend(lease));
        applied(new Settlement.Fail(lease, false, "broken"));
        store.sweep(ALL);
        changesNothing(() -> assertThat(submit(task)).isInstanceOf(Created.class));
        assertThat(stateOf(lease)).isEqualTo(EffectState.UNKNOWN);
    }

    // Retention zero

    @Test
    @DisplayName(
            "E10, Q7: in a queue with a retention of zero effects are deleted with the completion, and with no other end")
    void retentionZero() {
        set(Draft.QUEUE, QueueSettings.builder().retention(Duration.ZERO));
        for (Draft draft : List.of(Draft.plain(), KEYED)) {
            Lease lease = ended(TaskState.COMPLETED, draft);
            assertThat(ledger()).isEmpty();
            assertThat(read(lease.taskId()).dataGone()).isTrue();
            changesNothing(() -> {
                applied(new Settlement.Complete(lease, "1"));
                assertThat(apply(intend(lease))).isEqualTo(Settled.STALE);
            });
        }
        for (TaskState end : List.of(TaskState.FAILED, TaskState.TIMED_OUT, TaskState.CANCELLED)) {
            Lease lease = ended(end, Draft.keyed(end.word()));
            assertThat(stateOf(lease)).isEqualTo(EffectState.DONE);
        }
        Lease unknown = leftUnknown(Draft.plain());
        assertThat(stateOf(unknown)).isEqualTo(EffectState.UNKNOWN);
        applied(new Settlement.Complete(claimOne(), null));
        assertThat(effects(unknown.taskId())).as("unknown ones too").isEmpty();
        assertThat(ledger()).hasSize(3);
    }

    @Test
    @DisplayName("E10, Q7: they stay if another task of the lineage is stored, which could be redriven")
    void retentionZeroAndAnotherRun() {
        set(Draft.QUEUE, QueueSettings.builder().retention(Duration.ZERO));
        Lease first = ended(TaskState.FAILED, SHORT);
        Lease second = begin(SHORT);
        applied(new Settlement.Complete(second, null));
        assertThat(stateOf(first)).isEqualTo(EffectState.DONE);
        applied(new Operation.ReleaseKey(SHORT.identity(), second.taskId()));
        applied(new Operation.Redrive(first.taskId(), 1));
        assertConcluded(intend(claimOne()));
    }

    @Test
    @DisplayName(
            "E10, Q7: they stay if it is the first of the lineage that completes and a later one could be redriven")
    void retentionZeroAndALaterRun() {
        set(Draft.QUEUE, QueueSettings.builder().retention(Duration.ZERO));
        Lease first = ended(TaskState.FAILED, SHORT);
        Lease second = begin(SHORT);
        applied(new Settlement.Fail(second, false, "broken"));
        clock.advance(HOUR);
        applied(new Operation.Redrive(first.taskId(), 1));
        applied(new Settlement.Complete(claimOne(), null));
        assertThat(stateOf(first)).isEqualTo(EffectState.DONE);
        applied(new Operation.ReleaseKey(SHORT.identity(), first.taskId()));
        applied(new Operation.Redrive(second.taskId(), 1));
        assertConcluded(intend(claimOne(), charge(first)));
    }

    @Test
    @DisplayName("E10, Q7, M10: an outcome and the completion in one batch may be sent again")
    void retentionZeroInOneBatch() {
        set(Draft.QUEUE, QueueSettings.builder().retention(Duration.ZERO));
        Lease lease = intended(KEYED);
        List<Settlement> batch = List.of(done(lease), new Settlement.Complete(lease, "1"));
        assertThat(store.settle(batch)).containsExactly(Settled.APPLIED, Settled.APPLIED);
        assertThat(ledger()).isEmpty();
        changesNothing(() -> assertThat(store.settle(batch))
                .as("the effect was deleted with the data, so its outcome is stale")
                .containsExactly(Settled.STALE, Settled.APPLIED));
    }
}
