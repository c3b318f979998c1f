package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Attempt;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.SweepRequest;
import dev.semel.store.Task;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The laws of settling and operating, M1 to M7 and M9 to M11; a redrive has a part of its own. */
public abstract class MoveContract extends StoreContract {

    /** How many kinds of ends there are. */
    static final int KINDS = 7;

    private static final Draft KEYED = Draft.keyed("k");

    /** For subclasses. */
    protected MoveContract() {}

    /** One settlement of every kind that ends an attempt. */
    static List<Settlement> endings(Lease lease) {
        return List.of(
                new Settlement.Complete(lease, "\"result\""),
                new Settlement.Retry(lease, Duration.ofSeconds(1), "again"),
                new Settlement.Fail(lease, false, "broken"),
                new Settlement.Fail(lease, true, "too slow"),
                new Settlement.PutBack(lease, Duration.ofSeconds(1)),
                new Settlement.Cancelled(lease),
                EffectStoreContract.park(lease));
    }

    /** One settlement of every kind. */
    private static List<Settlement> settlements(Lease lease) {
        List<Settlement> all = new ArrayList<>(endings(lease));
        all.add(new Settlement.Extend(lease, Duration.ofHours(1)));
        all.add(EffectStoreContract.intend(lease));
        all.add(EffectStoreContract.done(lease));
        return all;
    }

    @Test
    @DisplayName("M1: a worker's settlement with an old attempt is stale and changes nothing")
    void anOldAttemptIsStale() {
        TaskId id = create(KEYED);
        Lease old = claimOne();
        leasesExpire();
        Lease current = claimOne();
        for (Settlement settlement : settlements(old)) {
            changesNothing(
                    () -> assertThat(apply(settlement)).as("%s", settlement).isEqualTo(Settled.STALE));
        }
        applied(new Settlement.Complete(current, null));
        for (Settlement settlement : settlements(old)) {
            changesNothing(
                    () -> assertThat(apply(settlement)).as("%s", settlement).isEqualTo(Settled.STALE));
        }
        assertThat(state(id)).isEqualTo(TaskState.COMPLETED);
    }

    @Test
    @DisplayName("M1: a settlement with an attempt that never was is stale and changes nothing")
    void anUnknownAttemptIsStale() {
        TaskId id = create(KEYED);
        for (Settlement settlement : settlements(lease(id, 0))) {
            changesNothing(
                    () -> assertThat(apply(settlement)).as("%s", settlement).isEqualTo(Settled.STALE));
        }
        claimOne();
        for (int attempt : new int[] {0, 2, -1, Integer.MAX_VALUE}) {
            for (Settlement settlement : settlements(lease(id, attempt))) {
                changesNothing(
                        () -> assertThat(apply(settlement)).as("%s", settlement).isEqualTo(Settled.STALE));
            }
        }
    }

    @Test
    @DisplayName("M1: a settlement with the number of another claim reaches the attempt that its lease names, or none")
    void anotherClaimLeadsToNoOtherAttempt() {
        int kinds = settlements(lease(ids.next(), 1)).size();
        for (int count : new int[] {1, 20}) {
            for (int kind = 0; kind < kinds; kind++) {
                List<Lease> leases = claimNew(count);
                List<Lease> others = claimNew(count);
                Lease own = leases.removeFirst();
                for (long claim : new long[] {others.getFirst().claim(), nextClaim()}) {
                    Settlement astray = settlements(new Lease(own.taskId(), own.attempt(), claim))
                            .get(kind);
                    Snapshot before = everything();
                    Settled answer = apply(astray);
                    Snapshot after = everything();
                    if (answer == Settled.STALE) {
                        assertThat(after).as("%s", astray).isEqualTo(before);
                    }
                    assertThat(without(own, after.tasks())).as("%s", astray).isEqualTo(without(own, before.tasks()));
                    assertThat(without(own, after.attempts()))
                            .as("%s", astray)
                            .isEqualTo(without(own, before.attempts()));
                }
                Settlement right = settlements(own).get(kind);
                assertThat(apply(right))
                        .as("%s", right)
                        .isEqualTo(right instanceof Settlement.Conclude ? Settled.NOT_FOUND : Settled.APPLIED);
                others.addAll(leases);
                others.forEach(lease -> applied(new Settlement.Complete(lease, null)));
                apply(new Settlement.Complete(own, null));
                apply(new Operation.Cancel(own.taskId()));
            }
        }
    }

    private List<Lease> claimNew(int count) {
        store.submit(tasks(count, Draft.plain()));
        List<Lease> leases = new ArrayList<>();
        claim(ClaimDraft.from(Draft.QUEUE)).tasks().forEach(claimed -> leases.add(claimed.lease()));
        assertThat(leases).hasSize(count);
        return leases;
    }

    private static <T> Map<TaskId, T> without(Lease own, Map<TaskId, T> all) {
        Map<TaskId, T> others = new HashMap<>(all);
        others.remove(own.taskId());
        return others;
    }

    @Test
    @DisplayName("M1: an expired lease still holds until another attempt has begun")
    void anExpiredLeaseHoldsUntilItIsTakenOver() {
        for (Settlement.Ending kind : endingsOnly(lease(ids.next(), 1))) {
            TaskId id = create(Draft.plain());
            Lease lease = claimOne();
            leasesExpire();
            applied(endingsOnly(lease).stream()
                    .filter(settlement -> settlement.outcome() == kind.outcome())
                    .findFirst()
                    .orElseThrow());
            assertThat(store.attempts(id).getFirst().outcome()).isEqualTo(kind.outcome());
            apply(new Operation.Cancel(id));
        }
    }

    @Test
    @DisplayName("M2: a settlement repeated after a lost answer is answered as applied again and changes nothing")
    void aRepeatedMoveIsApplied() {
        for (int kind = 0; kind < KINDS; kind++) {
            TaskId id = create(Draft.keyed("ends in way " + kind));
            Settlement settlement = endings(claimOne()).get(kind);
            applied(settlement);
            changesNothing(() -> applied(settlement));
            clock.advance(Duration.ofSeconds(1));
            changesNothing(() -> applied(settlement));
            if (state(id).isOpen()) {
                Lease next = claimOne();
                changesNothing(() -> applied(settlement));
                applied(new Settlement.Complete(next, null));
                changesNothing(() -> applied(settlement));
            }
        }
    }

    @Test
    @DisplayName("M3: an attempt ends once: another end under the same lease is stale")
    void anAttemptEndsOnce() {
        for (int first = 0; first < KINDS; first++) {
            TaskId id = create(Draft.plain());
            Lease lease = claimOne();
            applied(endings(lease).get(first));
            for (int second = 0; second < KINDS; second++) {
                Settlement settlement = endings(lease).get(second);
                Settled expected = first == second ? Settled.APPLIED : Settled.STALE;
                changesNothing(
                        () -> assertThat(apply(settlement)).as("%s", settlement).isEqualTo(expected));
            }
            changesNothing(() -> assertThat(apply(new Settlement.Extend(lease, ClaimDraft.LEASE)))
                    .isEqualTo(Settled.STALE));
            apply(new Operation.Cancel(id));
        }
    }

    @Test
    @DisplayName("M3: what was kept is the first end, even if a later one carries other data")
    void theFirstEndIsKept() {
        TaskId id = create(Draft.plain());
        Lease lease = claimOne();
        applied(new Settlement.Complete(lease, "1"));
        changesNothing(() -> applied(new Settlement.Complete(lease, "2")));
        assertThat(read(id).progress().result()).isEqualTo("1");
    }

    @Test
    @DisplayName("M4: a retry counts a failure; a put-back does not; neither lowers the attempt")
    void aRetryCountsAFailure() {
        TaskId id = create(Draft.plain());
        applied(new Settlement.Retry(claimOne(), Duration.ofSeconds(7), "first"));
        Instant due = clock.instant().plus(Duration.ofSeconds(7));
        assertThat(read(id).progress())
                .isEqualTo(new Task.Progress(TaskState.PENDING, 1, 1, 0, due, false, null, null, "first"));
        clock.advance(Duration.ofSeconds(7));
        applied(new Settlement.PutBack(claimOne(), Duration.ofSeconds(9)));
        due = clock.instant().plus(Duration.ofSeconds(9));
        assertThat(read(id).progress())
                .isEqualTo(new Task.Progress(TaskState.PENDING, 2, 1, 0, due, false, null, null, "first"));
        clock.advance(Duration.ofSeconds(9));
        applied(new Settlement.Retry(claimOne(), Duration.ZERO, "second"));
        assertThat(read(id).progress())
                .isEqualTo(new Task.Progress(TaskState.PENDING, 3, 2, 0, clock.instant(), false, null, null, "second"));
    }

    @Test
    @DisplayName("M4: an end for good is kept with its time, result or error")
    void anEndForGoodIsKept() {
        Instant now = clock.instant();
        TaskId completed = createIn(TaskState.COMPLETED, Draft.plain());
        assertThat(read(completed).progress())
                .isEqualTo(new Task.Progress(TaskState.COMPLETED, 1, 0, 0, null, false, now, "\"done\"", null));
        TaskId failed = createIn(TaskState.FAILED, Draft.plain());
        assertThat(read(failed).progress())
                .isEqualTo(new Task.Progress(TaskState.FAILED, 1, 1, 0, null, false, now, null, "broken"));
        TaskId timedOut = createIn(TaskState.TIMED_OUT, Draft.plain());
        assertThat(read(timedOut).progress())
                .isEqualTo(new Task.Progress(TaskState.TIMED_OUT, 1, 1, 0, null, false, now, null, "too slow"));
        TaskId cancelled = createIn(TaskState.CANCELLED, Draft.plain());
        assertThat(read(cancelled).progress())
                .isEqualTo(new Task.Progress(TaskState.CANCELLED, 0, 0, 0, null, true, now, null, null));
        TaskId nothing = create(Draft.plain());
        applied(new Settlement.Complete(claimOne(), null));
        assertThat(read(nothing).progress().result()).isNull();
    }

    @Test
    @DisplayName("M5: an extension moves the end of the lease, even after it has expired")
    void anExtensionMovesTheEndOfTheLease() {
        TaskId id = create(Draft.plain());
        Lease lease = claimOne();
        clock.advance(ClaimDraft.LEASE.minus(MILLISECOND));
        applied(new Settlement.Extend(lease, ClaimDraft.LEASE));
        assertThat(read(id).progress().dueAt()).isEqualTo(clock.instant().plus(ClaimDraft.LEASE));
        clock.advance(ClaimDraft.LEASE.minus(MILLISECOND));
        assertThat(claim(ClaimDraft.from(Draft.QUEUE)).tasks()).isEmpty();

        clock.advance(Duration.ofDays(1));
        applied(new Settlement.Extend(lease, ClaimDraft.LEASE));
        assertThat(claim(ClaimDraft.from(Draft.QUEUE)).tasks()).isEmpty();
        assertThat(read(id).progress().vanished()).isZero();
        leasesExpire();
        assertThat(claim(ClaimDraft.from(Draft.QUEUE)).tasks()).hasSize(1);
        changesNothing(() -> assertThat(apply(new Settlement.Extend(lease, ClaimDraft.LEASE)))
                .isEqualTo(Settled.STALE));
    }

    @Test
    @DisplayName("M6: cancelling a pending task ends it at once")
    void aPendingTaskIsCancelledAtOnce() {
        TaskId id = create(KEYED);
        clock.advance(Duration.ofSeconds(1));
        applied(new Operation.Cancel(id));
        assertThat(read(id).progress())
                .isEqualTo(new Task.Progress(TaskState.CANCELLED, 0, 0, 0, null, true, clock.instant(), null, null));
        assertThat(claim(ClaimDraft.from(Draft.QUEUE)).tasks()).isEmpty();
        assertThat(record(KEYED).state()).isEqualTo(TaskState.CANCELLED);
        changesNothing(() -> applied(new Operation.Cancel(id)));
    }

    @Test
    @DisplayName("M6: cancelling a waiting task ends it at once, and the one it waits for runs on")
    void aWaitingTaskIsCancelledAtOnce() {
        TaskId running = createIn(TaskState.RUNNING, KEYED);
        TaskId waiting = create(KEYED.replacing());
        applied(new Operation.Cancel(waiting));
        assertThat(state(waiting)).isEqualTo(TaskState.CANCELLED);
        applied(new Settlement.Cancelled(lease(running, 1)));
        assertThat(state(waiting)).isEqualTo(TaskState.CANCELLED);
    }

    @Test
    @DisplayName(
            "M6: a running task is asked to cancel, stays open, and its worker is notified with the next extension")
    void aRunningTaskIsAskedToCancel() {
        TaskId id = create(KEYED);
        Lease lease = claimOne();
        applied(new Settlement.Extend(lease, ClaimDraft.LEASE));
        assertThat(apply(new Operation.Cancel(id))).isEqualTo(Operated.CANCEL_REQUESTED);
        changesNothing(() -> assertThat(apply(new Operation.Cancel(id))).isEqualTo(Operated.CANCEL_REQUESTED));
        assertThat(state(id)).isEqualTo(TaskState.RUNNING);
        assertThat(record(KEYED).taskId()).isEqualTo(id);
        assertThat(apply(new Settlement.Extend(lease, ClaimDraft.LEASE))).isEqualTo(Settled.CANCEL_REQUESTED);
        assertThat(read(id).progress().dueAt()).isEqualTo(clock.instant().plus(ClaimDraft.LEASE));
        applied(new Settlement.Cancelled(lease));
        assertThat(read(id).progress())
                .isEqualTo(new Task.Progress(TaskState.CANCELLED, 1, 0, 0, null, true, clock.instant(), null, null));
    }

    @Test
    @DisplayName("M6: cancelling a task that has ended another way is stale and changes nothing")
    void anEndedTaskIsNotCancelled() {
        for (TaskState end : List.of(TaskState.COMPLETED, TaskState.FAILED, TaskState.TIMED_OUT)) {
            TaskId id = createIn(end, Draft.plain());
            changesNothing(() -> assertThat(apply(new Operation.Cancel(id))).isEqualTo(Operated.STALE));
        }
    }

    @Test
    @DisplayName("M7: a task asked to cancel ends as cancelled when its attempt fails or is put back")
    void aFailedAttemptOfACancelledTaskCancelsIt() {
        for (Settlement.Ending kind : endingsOnly(lease(ids.next(), 1))) {
            TaskId id = create(Draft.plain());
            Lease lease = claimOne();
            apply(new Operation.Cancel(id));
            Settlement.Ending settlement = endingsOnly(lease).stream()
                    .filter(ending -> ending.outcome() == kind.outcome())
                    .findFirst()
                    .orElseThrow();
            applied(settlement);

            boolean completed = settlement instanceof Settlement.Complete;
            boolean failed = settlement instanceof Settlement.Retry || settlement instanceof Settlement.Fail;
            Task.Progress progress = read(id).progress();
            assertThat(progress.state()).isEqualTo(completed ? TaskState.COMPLETED : TaskState.CANCELLED);
            assertThat(progress.cancelRequested()).isTrue();
            assertThat(progress.failures()).isEqualTo(failed ? 1 : 0);
            assertThat(progress.lastError() != null).isEqualTo(failed || settlement instanceof Settlement.Park);
            assertThat(progress.dueAt()).isNull();
            assertThat(store.attempts(id).getFirst().outcome()).isEqualTo(settlement.outcome());
            assertThat(store.attempts(id).getFirst().error()).isEqualTo(progress.lastError());
            changesNothing(() -> applied(settlement));
        }
    }

    @Test
    @DisplayName("M7: a task asked to cancel ends as cancelled when its attempt vanishes")
    void aVanishedAttemptOfACancelledTaskCancelsIt() {
        TaskId byClaim = create(Draft.plain());
        TaskId bySweep = create(Draft.plain().queue("other"));
        claim(ClaimDraft.from(Draft.QUEUE, "other"));
        for (TaskId id : List.of(byClaim, bySweep)) {
            assertThat(apply(new Operation.Cancel(id))).isEqualTo(Operated.CANCEL_REQUESTED);
        }
        leasesExpire();
        assertThat(claim(ClaimDraft.from(Draft.QUEUE).suspects(0)).tasks()).isEmpty();
        assertThat(state(bySweep)).isEqualTo(TaskState.RUNNING);
        store.sweep(new SweepRequest(Duration.ofDays(1), Map.of(), Duration.ofDays(1), 10));
        for (TaskId id : List.of(byClaim, bySweep)) {
            assertThat(read(id).progress())
                    .isEqualTo(
                            new Task.Progress(TaskState.CANCELLED, 1, 0, 1, null, true, clock.instant(), null, null));
            assertThat(store.attempts(id)).extracting(Attempt::outcome).containsExactly(Attempt.Outcome.VANISHED);
            changesNothing(() -> applied(new Operation.Cancel(id)));
        }
    }

    @Test
    @DisplayName("M9: a key is released only if its task has ended, and the next submission makes a new task")
    void aKeyIsReleasedAfterTheEnd() {
        TaskId id = create(KEYED);
        Operation release = new Operation.ReleaseKey(KEYED.identity(), id);
        changesNothing(() -> assertThat(apply(release)).isEqualTo(Operated.HELD));
        Lease lease = claimOne();
        changesNothing(() -> assertThat(apply(release)).isEqualTo(Operated.HELD));
        leasesExpire();
        changesNothing(() -> assertThat(apply(release)).isEqualTo(Operated.HELD));
        applied(new Settlement.Complete(lease, null));
        Task done = read(id);
        applied(release);
        assertThat(store.record(KEYED.identity())).isEmpty();
        assertThat(read(id)).as("stays as history").isEqualTo(done);
        changesNothing(() -> applied(release));

        TaskId next = create(KEYED);
        assertThat(read(next).run()).isEqualTo(1);
        changesNothing(
                () -> assertThat(apply(release)).as("another task has it now").isEqualTo(Operated.SUPERSEDED));
        assertThat(record(KEYED).taskId()).isEqualTo(next);
    }

    @Test
    @DisplayName(
            "M9: a key is not released if another task holds it than expected, nor while a replaced task still runs")
    void aKeyIsReleasedOnlyForItsTask() {
        TaskId first = createIn(TaskState.RUNNING, KEYED);
        TaskId second = create(KEYED.replacing());
        applied(new Operation.Cancel(second));
        Operation release = new Operation.ReleaseKey(KEYED.identity(), second);
        changesNothing(() -> assertThat(apply(new Operation.ReleaseKey(KEYED.identity(), first)))
                .isEqualTo(Operated.SUPERSEDED));
        changesNothing(() -> assertThat(apply(release)).isEqualTo(Operated.HELD));
        applied(new Settlement.Cancelled(lease(first, 1)));
        applied(release);
        TaskId unkeyed = create(Draft.plain());
        changesNothing(() -> assertThat(apply(new Operation.ReleaseKey(KEYED.identity(), unkeyed)))
                .isEqualTo(Operated.NOT_FOUND));
    }

    @Test
    @DisplayName("M9: the key of a tombstone can be released")
    void aTombstoneIsReleased() {
        TaskId id = createIn(TaskState.COMPLETED, KEYED);
        store.sweep(new SweepRequest(Duration.ZERO, Map.of(), Duration.ZERO, 10));
        assertThat(store.record(KEYED.identity())).map(KeyRecord::dataGone).contains(true);
        applied(new Operation.ReleaseKey(KEYED.identity(), id));
        assertThat(read(create(KEYED)).run()).isEqualTo(1);
    }

    @Test
    @DisplayName(
            "M10: a batch of settlements means its items in order, and one rejected item never fails its neighbours")
    void aBatchOfSettlementsIsInOrder() {
        List<NewTask> created = tasks(4, Draft.plain());
        store.submit(created);
        List<Lease> leases = claim(ClaimDraft.from(Draft.QUEUE)).tasks().stream()
                .map(Claimed::lease)
                .toList();
        assertThat(apply(new Operation.Cancel(leases.get(1).taskId()))).isEqualTo(Operated.CANCEL_REQUESTED);
        TaskId unknown = ids.next();
        assertThat(store.settle(List.of(
                        new Settlement.Retry(leases.get(0), Duration.ofHours(1), "again"),
                        new Settlement.Complete(leases.get(0), null),
                        new Settlement.Extend(leases.get(1), ClaimDraft.LEASE),
                        new Settlement.Fail(leases.get(1), false, "broken"),
                        new Settlement.Complete(lease(unknown, 1), null),
                        new Settlement.Complete(leases.get(2), "1"),
                        new Settlement.Complete(leases.get(2), "2"),
                        new Settlement.Extend(leases.get(3), Duration.ofDays(1)),
                        new Settlement.Extend(leases.get(2), ClaimDraft.LEASE))))
                .containsExactly(
                        Settled.APPLIED,
                        Settled.STALE,
                        Settled.CANCEL_REQUESTED,
                        Settled.APPLIED,
                        Settled.NOT_FOUND,
                        Settled.APPLIED,
                        Settled.APPLIED,
                        Settled.APPLIED,
                        Settled.STALE);
        assertThat(created.stream().map(task -> state(task.id())))
                .containsExactly(TaskState.PENDING, TaskState.CANCELLED, TaskState.COMPLETED, TaskState.RUNNING);
        assertThat(read(leases.get(2).taskId()).progress().result()).isEqualTo("1");
    }

    @Test
    @DisplayName(
            "M10: a batch of operations means its items in order, and one rejected item never fails its neighbours")
    void aBatchOfOperationsIsInOrder() {
        TaskId dead = createIn(TaskState.FAILED, KEYED);
        TaskId retried = create(Draft.plain());
        applied(new Settlement.Retry(claimOne(), Duration.ofHours(1), "again"));
        TaskId running = create(Draft.plain());
        claimOne();
        TaskId unknown = ids.next();
        assertThat(store.operate(List.of(
                        new Operation.Redrive(dead, 1),
                        new Operation.ReleaseKey(KEYED.identity(), dead),
                        new Operation.Cancel(dead),
                        new Operation.ReleaseKey(KEYED.identity(), dead),
                        new Operation.Redrive(running, 1),
                        new Operation.Cancel(running),
                        new Operation.Cancel(unknown),
                        new Operation.Cancel(retried),
                        new Operation.Cancel(retried),
                        new Operation.SetQueue(
                                "paused", QueueSettings.builder().paused(true).build()),
                        new Operation.ResetQueue("paused"))))
                .containsExactly(
                        Operated.APPLIED,
                        Operated.HELD,
                        Operated.APPLIED,
                        Operated.APPLIED,
                        Operated.STALE,
                        Operated.CANCEL_REQUESTED,
                        Operated.NOT_FOUND,
                        Operated.APPLIED,
                        Operated.APPLIED,
                        Operated.APPLIED,
                        Operated.APPLIED);
        assertThat(List.of(state(dead), state(retried), state(running)))
                .containsExactly(TaskState.CANCELLED, TaskState.CANCELLED, TaskState.RUNNING);
        assertThat(store.record(KEYED.identity())).isEmpty();
        assertThat(settings("paused").isPaused()).isFalse();
    }

    @Test
    @DisplayName("M11: every attempt is kept with its worker, its times, its outcome and its error")
    void everyAttemptIsKept() {
        TaskId id = create(Draft.plain());
        List<Attempt> expected = new ArrayList<>();
        for (int number = 1; number <= 6; number++) {
            Instant started = clock.instant();
            String worker = "worker-" + number;
            Lease lease = claim(ClaimDraft.from(Draft.QUEUE).worker(worker))
                    .tasks()
                    .getFirst()
                    .lease();
            if (number == 3) {
                clock.advance(Duration.ofDays(1));
                expected.add(new Attempt(number, worker, started, clock.instant(), Attempt.Outcome.VANISHED, null));
            } else {
                clock.advance(Duration.ofSeconds(number));
                Settlement.Ending settlement = switch (number) {
                    case 1 -> new Settlement.Retry(lease, Duration.ZERO, "first");
                    case 2 -> new Settlement.PutBack(lease, Duration.ZERO);
                    case 4 -> new Settlement.Retry(lease, Duration.ZERO, "fourth");
                    case 5 -> new Settlement.PutBack(lease, Duration.ZERO);
                    default -> new Settlement.Complete(lease, "1");
                };
                applied(settlement);
                String error = settlement instanceof Settlement.Retry retry ? retry.error() : null;
                expected.add(new Attempt(number, worker, started, clock.instant(), settlement.outcome(), error));
            }
        }
        assertThat(store.attempts(id)).isEqualTo(expected);
        assertThat(read(id).progress().failures()).isEqualTo(2);
        assertThat(read(id).progress().vanished()).isEqualTo(1);
        assertThat(read(id).progress().lastError()).isEqualTo("fourth");
    }

    private static List<Settlement.Ending> endingsOnly(Lease lease) {
        return endings(lease).stream().map(Settlement.Ending.class::cast).toList();
    }
}
