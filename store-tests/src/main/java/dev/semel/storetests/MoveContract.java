package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Applied;
import dev.semel.store.Attempt;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
import dev.semel.store.SweepRequest;
import dev.semel.store.Task;
import dev.semel.store.Transition;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The laws of moving, M1 to M7 and M9 to M11; a redrive has a part of its own. */
public abstract class MoveContract extends StoreContract {

    /** How many kinds of ends there are. */
    static final int KINDS = 7;

    private static final Draft KEYED = Draft.keyed("k");

    /** For subclasses. */
    protected MoveContract() {}

    /** One move of every kind that ends an attempt. */
    static List<Transition> endings(Lease lease) {
        return List.of(
                new Transition.Complete(lease, "\"result\""),
                new Transition.Retry(lease, Duration.ofSeconds(1), "again"),
                new Transition.Fail(lease, false, "broken"),
                new Transition.Fail(lease, true, "too slow"),
                new Transition.PutBack(lease, Duration.ofSeconds(1)),
                new Transition.Cancelled(lease),
                EffectStoreContract.park(lease));
    }

    /** One move of every kind that a worker makes. */
    private static List<Transition> workerMoves(Lease lease) {
        List<Transition> moves = new ArrayList<>(endings(lease));
        moves.add(new Transition.Extend(lease, Duration.ofHours(1)));
        moves.add(EffectStoreContract.intend(lease));
        moves.add(EffectStoreContract.done(lease));
        return moves;
    }

    @Test
    @DisplayName("M1: a worker's move with an old attempt is stale and changes nothing")
    void anOldAttemptIsStale() {
        TaskId id = create(KEYED);
        Lease old = claimOne();
        leasesRunOut();
        Lease current = claimOne();
        for (Transition move : workerMoves(old)) {
            changesNothing(() -> assertThat(apply(move)).as("%s", move).isEqualTo(Applied.STALE));
        }
        applied(new Transition.Complete(current, null));
        for (Transition move : workerMoves(old)) {
            changesNothing(() -> assertThat(apply(move)).as("%s", move).isEqualTo(Applied.STALE));
        }
        assertThat(state(id)).isEqualTo(TaskState.COMPLETED);
    }

    @Test
    @DisplayName("M1: a move with an attempt that never was is stale and changes nothing")
    void anUnknownAttemptIsStale() {
        TaskId id = create(KEYED);
        for (Transition move : workerMoves(new Lease(id, 0))) {
            changesNothing(() -> assertThat(apply(move)).as("%s", move).isEqualTo(Applied.STALE));
        }
        claimOne();
        for (int attempt : new int[] {0, 2, -1, Integer.MAX_VALUE}) {
            for (Transition move : workerMoves(new Lease(id, attempt))) {
                changesNothing(() -> assertThat(apply(move)).as("%s", move).isEqualTo(Applied.STALE));
            }
        }
    }

    @Test
    @DisplayName("M1: a lease that ran out still holds until another attempt has begun")
    void anExpiredLeaseHoldsUntilSomebodyTakesIt() {
        for (Transition.Ending kind : endingsOnly(new Lease(ids.next(), 1))) {
            TaskId id = create(Draft.plain());
            Lease lease = claimOne();
            leasesRunOut();
            applied(endingsOnly(lease).stream()
                    .filter(move -> move.outcome() == kind.outcome())
                    .findFirst()
                    .orElseThrow());
            assertThat(store.attempts(id).getFirst().outcome()).isEqualTo(kind.outcome());
            apply(new Transition.Cancel(id));
        }
    }

    @Test
    @DisplayName("M2: a move repeated after a lost answer is answered as applied again and changes nothing")
    void aRepeatedMoveIsApplied() {
        for (int kind = 0; kind < KINDS; kind++) {
            TaskId id = create(Draft.keyed("ends in way " + kind));
            Transition move = endings(claimOne()).get(kind);
            applied(move);
            changesNothing(() -> applied(move));
            clock.advance(Duration.ofSeconds(1));
            changesNothing(() -> applied(move));
            if (state(id).isOpen()) {
                Lease next = claimOne();
                changesNothing(() -> applied(move));
                applied(new Transition.Complete(next, null));
                changesNothing(() -> applied(move));
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
                Transition move = endings(lease).get(second);
                Applied expected = first == second ? Applied.APPLIED : Applied.STALE;
                changesNothing(() -> assertThat(apply(move)).as("%s", move).isEqualTo(expected));
            }
            changesNothing(() ->
                    assertThat(apply(new Transition.Extend(lease, Wish.LEASE))).isEqualTo(Applied.STALE));
            apply(new Transition.Cancel(id));
        }
    }

    @Test
    @DisplayName("M3: what was kept is the first end, also if a later one carries other data")
    void theFirstEndIsKept() {
        TaskId id = create(Draft.plain());
        Lease lease = claimOne();
        applied(new Transition.Complete(lease, "1"));
        changesNothing(() -> applied(new Transition.Complete(lease, "2")));
        assertThat(read(id).progress().result()).isEqualTo("1");
    }

    @Test
    @DisplayName("M4: a retry counts a failure; a put-back does not; neither lowers the attempt")
    void aRetryCountsAFailure() {
        TaskId id = create(Draft.plain());
        applied(new Transition.Retry(claimOne(), Duration.ofSeconds(7), "first"));
        Instant due = clock.instant().plus(Duration.ofSeconds(7));
        assertThat(read(id).progress())
                .isEqualTo(new Task.Progress(TaskState.PENDING, 1, 1, 0, due, false, null, null, "first"));
        clock.advance(Duration.ofSeconds(7));
        applied(new Transition.PutBack(claimOne(), Duration.ofSeconds(9)));
        due = clock.instant().plus(Duration.ofSeconds(9));
        assertThat(read(id).progress())
                .isEqualTo(new Task.Progress(TaskState.PENDING, 2, 1, 0, due, false, null, null, "first"));
        clock.advance(Duration.ofSeconds(9));
        applied(new Transition.Retry(claimOne(), Duration.ZERO, "second"));
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
        applied(new Transition.Complete(claimOne(), null));
        assertThat(read(nothing).progress().result()).isNull();
    }

    @Test
    @DisplayName("M5: an extension moves the end of the lease, also after it has run out")
    void anExtensionMovesTheEndOfTheLease() {
        TaskId id = create(Draft.plain());
        Lease lease = claimOne();
        clock.advance(Wish.LEASE.minus(MILLISECOND));
        applied(new Transition.Extend(lease, Wish.LEASE));
        assertThat(read(id).progress().dueAt()).isEqualTo(clock.instant().plus(Wish.LEASE));
        clock.advance(Wish.LEASE.minus(MILLISECOND));
        assertThat(claim(Wish.from(Draft.QUEUE)).tasks()).isEmpty();

        clock.advance(Duration.ofDays(1));
        applied(new Transition.Extend(lease, Wish.LEASE));
        assertThat(claim(Wish.from(Draft.QUEUE)).tasks()).isEmpty();
        assertThat(read(id).progress().vanished()).isZero();
        leasesRunOut();
        assertThat(claim(Wish.from(Draft.QUEUE)).tasks()).hasSize(1);
        changesNothing(() ->
                assertThat(apply(new Transition.Extend(lease, Wish.LEASE))).isEqualTo(Applied.STALE));
    }

    @Test
    @DisplayName("M6: cancelling a pending task ends it at once")
    void aPendingTaskIsCancelledAtOnce() {
        TaskId id = create(KEYED);
        clock.advance(Duration.ofSeconds(1));
        applied(new Transition.Cancel(id));
        assertThat(read(id).progress())
                .isEqualTo(new Task.Progress(TaskState.CANCELLED, 0, 0, 0, null, true, clock.instant(), null, null));
        assertThat(claim(Wish.from(Draft.QUEUE)).tasks()).isEmpty();
        assertThat(record(KEYED).state()).isEqualTo(TaskState.CANCELLED);
        changesNothing(() -> applied(new Transition.Cancel(id)));
    }

    @Test
    @DisplayName("M6: cancelling a waiting task ends it at once, and the one it waits for runs on")
    void aWaitingTaskIsCancelledAtOnce() {
        TaskId running = createIn(TaskState.RUNNING, KEYED);
        TaskId waiting = create(KEYED.replacing());
        applied(new Transition.Cancel(waiting));
        assertThat(state(waiting)).isEqualTo(TaskState.CANCELLED);
        applied(new Transition.Cancelled(new Lease(running, 1)));
        assertThat(state(waiting)).isEqualTo(TaskState.CANCELLED);
    }

    @Test
    @DisplayName("M6: a running task is asked to cancel, stays open, and tells its worker with the next extension")
    void aRunningTaskIsAskedToCancel() {
        TaskId id = create(KEYED);
        Lease lease = claimOne();
        applied(new Transition.Extend(lease, Wish.LEASE));
        assertThat(apply(new Transition.Cancel(id))).isEqualTo(Applied.CANCEL_REQUESTED);
        changesNothing(() -> assertThat(apply(new Transition.Cancel(id))).isEqualTo(Applied.CANCEL_REQUESTED));
        assertThat(state(id)).isEqualTo(TaskState.RUNNING);
        assertThat(record(KEYED).taskId()).isEqualTo(id);
        assertThat(apply(new Transition.Extend(lease, Wish.LEASE))).isEqualTo(Applied.CANCEL_REQUESTED);
        assertThat(read(id).progress().dueAt()).isEqualTo(clock.instant().plus(Wish.LEASE));
        applied(new Transition.Cancelled(lease));
        assertThat(read(id).progress())
                .isEqualTo(new Task.Progress(TaskState.CANCELLED, 1, 0, 0, null, true, clock.instant(), null, null));
    }

    @Test
    @DisplayName("M6: cancelling a task that has ended another way is stale and changes nothing")
    void anEndedTaskIsNotCancelled() {
        for (TaskState end : List.of(TaskState.COMPLETED, TaskState.FAILED, TaskState.TIMED_OUT)) {
            TaskId id = createIn(end, Draft.plain());
            changesNothing(() -> assertThat(apply(new Transition.Cancel(id))).isEqualTo(Applied.STALE));
        }
    }

    @Test
    @DisplayName("M7: a task asked to cancel ends as cancelled when its attempt fails or is put back")
    void aFailedAttemptOfACancelledTaskCancelsIt() {
        for (Transition.Ending kind : endingsOnly(new Lease(ids.next(), 1))) {
            TaskId id = create(Draft.plain());
            Lease lease = claimOne();
            apply(new Transition.Cancel(id));
            Transition.Ending move = endingsOnly(lease).stream()
                    .filter(ending -> ending.outcome() == kind.outcome())
                    .findFirst()
                    .orElseThrow();
            applied(move);

            boolean completed = move instanceof Transition.Complete;
            boolean failed = move instanceof Transition.Retry || move instanceof Transition.Fail;
            Task.Progress progress = read(id).progress();
            assertThat(progress.state()).isEqualTo(completed ? TaskState.COMPLETED : TaskState.CANCELLED);
            assertThat(progress.cancelRequested()).isTrue();
            assertThat(progress.failures()).isEqualTo(failed ? 1 : 0);
            assertThat(progress.lastError() != null).isEqualTo(failed || move instanceof Transition.Park);
            assertThat(progress.dueAt()).isNull();
            assertThat(store.attempts(id).getFirst().outcome()).isEqualTo(move.outcome());
            assertThat(store.attempts(id).getFirst().error()).isEqualTo(progress.lastError());
            changesNothing(() -> applied(move));
        }
    }

    @Test
    @DisplayName("M7: a task asked to cancel ends as cancelled when its attempt vanishes")
    void aVanishedAttemptOfACancelledTaskCancelsIt() {
        TaskId byClaim = create(Draft.plain());
        TaskId bySweep = create(Draft.plain().queue("other"));
        claim(Wish.from(Draft.QUEUE, "other"));
        for (TaskId id : List.of(byClaim, bySweep)) {
            assertThat(apply(new Transition.Cancel(id))).isEqualTo(Applied.CANCEL_REQUESTED);
        }
        leasesRunOut();
        assertThat(claim(Wish.from(Draft.QUEUE).suspects(0)).tasks()).isEmpty();
        assertThat(state(bySweep)).isEqualTo(TaskState.RUNNING);
        store.sweep(new SweepRequest(Duration.ofDays(1), Map.of(), Duration.ofDays(1), 10));
        for (TaskId id : List.of(byClaim, bySweep)) {
            assertThat(read(id).progress())
                    .isEqualTo(
                            new Task.Progress(TaskState.CANCELLED, 1, 0, 1, null, true, clock.instant(), null, null));
            assertThat(store.attempts(id)).extracting(Attempt::outcome).containsExactly(Attempt.Outcome.VANISHED);
            changesNothing(() -> applied(new Transition.Cancel(id)));
        }
    }

    @Test
    @DisplayName("M9: a key is released only if its task has ended, and the next submission makes a new task")
    void aKeyIsReleasedAfterTheEnd() {
        TaskId id = create(KEYED);
        Transition release = new Transition.ReleaseKey(KEYED.identity(), id);
        changesNothing(() -> assertThat(apply(release)).isEqualTo(Applied.HELD));
        Lease lease = claimOne();
        changesNothing(() -> assertThat(apply(release)).isEqualTo(Applied.HELD));
        leasesRunOut();
        changesNothing(() -> assertThat(apply(release)).isEqualTo(Applied.HELD));
        applied(new Transition.Complete(lease, null));
        Task done = read(id);
        applied(release);
        assertThat(store.record(KEYED.identity())).isEmpty();
        assertThat(read(id)).as("stays as history").isEqualTo(done);
        changesNothing(() -> applied(release));

        TaskId next = create(KEYED);
        assertThat(read(next).run()).isEqualTo(1);
        changesNothing(
                () -> assertThat(apply(release)).as("another task has it now").isEqualTo(Applied.SUPERSEDED));
        assertThat(record(KEYED).taskId()).isEqualTo(next);
    }

    @Test
    @DisplayName("M9: a key is not released by who expects another task, nor while a replaced task still runs")
    void aKeyIsReleasedOnlyForItsTask() {
        TaskId first = createIn(TaskState.RUNNING, KEYED);
        TaskId second = create(KEYED.replacing());
        applied(new Transition.Cancel(second));
        Transition release = new Transition.ReleaseKey(KEYED.identity(), second);
        changesNothing(() -> assertThat(apply(new Transition.ReleaseKey(KEYED.identity(), first)))
                .isEqualTo(Applied.SUPERSEDED));
        changesNothing(() -> assertThat(apply(release)).isEqualTo(Applied.HELD));
        applied(new Transition.Cancelled(new Lease(first, 1)));
        applied(release);
        TaskId unkeyed = create(Draft.plain());
        changesNothing(() -> assertThat(apply(new Transition.ReleaseKey(KEYED.identity(), unkeyed)))
                .isEqualTo(Applied.NOT_FOUND));
    }

    @Test
    @DisplayName("M9: the key of a tombstone can be released")
    void aTombstoneIsReleased() {
        TaskId id = createIn(TaskState.COMPLETED, KEYED);
        store.sweep(new SweepRequest(Duration.ZERO, Map.of(), Duration.ZERO, 10));
        assertThat(store.record(KEYED.identity())).map(KeyRecord::dataGone).contains(true);
        applied(new Transition.ReleaseKey(KEYED.identity(), id));
        assertThat(read(create(KEYED)).run()).isEqualTo(1);
    }

    @Test
    @DisplayName("M10: a batch of moves means its items in order, and one refused item never fails its neighbours")
    void aBatchOfMovesIsInOrder() {
        List<NewTask> created = tasks(4, Draft.plain());
        store.submit(created);
        List<Lease> leases = claim(Wish.from(Draft.QUEUE)).tasks().stream()
                .map(Claimed::lease)
                .toList();
        TaskId unknown = ids.next();
        assertThat(store.apply(List.of(
                        new Transition.Retry(leases.get(0), Duration.ofHours(1), "again"),
                        new Transition.Cancel(leases.get(0).taskId()),
                        new Transition.Complete(leases.get(0), null),
                        new Transition.Cancel(leases.get(1).taskId()),
                        new Transition.Fail(leases.get(1), false, "broken"),
                        new Transition.Complete(new Lease(unknown, 1), null),
                        new Transition.Complete(leases.get(2), "1"),
                        new Transition.Complete(leases.get(2), "2"),
                        new Transition.Extend(leases.get(3), Duration.ofDays(1)),
                        new Transition.Redrive(leases.get(3).taskId(), 1))))
                .containsExactly(
                        Applied.APPLIED,
                        Applied.APPLIED,
                        Applied.STALE,
                        Applied.CANCEL_REQUESTED,
                        Applied.APPLIED,
                        Applied.NOT_FOUND,
                        Applied.APPLIED,
                        Applied.APPLIED,
                        Applied.APPLIED,
                        Applied.STALE);
        assertThat(created.stream().map(task -> state(task.id())))
                .containsExactly(TaskState.CANCELLED, TaskState.CANCELLED, TaskState.COMPLETED, TaskState.RUNNING);
        assertThat(read(leases.get(2).taskId()).progress().result()).isEqualTo("1");
    }

    @Test
    @DisplayName("M11: every attempt is kept with its worker, its times, its outcome and its error")
    void everyAttemptIsKept() {
        TaskId id = create(Draft.plain());
        List<Attempt> expected = new ArrayList<>();
        for (int number = 1; number <= 6; number++) {
            Instant started = clock.instant();
            String worker = "worker-" + number;
            Lease lease = claim(Wish.from(Draft.QUEUE).worker(worker))
                    .tasks()
                    .getFirst()
                    .lease();
            if (number == 3) {
                clock.advance(Duration.ofDays(1));
                expected.add(new Attempt(number, worker, started, clock.instant(), Attempt.Outcome.VANISHED, null));
            } else {
                clock.advance(Duration.ofSeconds(number));
                Transition.Ending move = switch (number) {
                    case 1 -> new Transition.Retry(lease, Duration.ZERO, "first");
                    case 2 -> new Transition.PutBack(lease, Duration.ZERO);
                    case 4 -> new Transition.Retry(lease, Duration.ZERO, "fourth");
                    case 5 -> new Transition.PutBack(lease, Duration.ZERO);
                    default -> new Transition.Complete(lease, "1");
                };
                applied(move);
                String error = move instanceof Transition.Retry retry ? retry.error() : null;
                expected.add(new Attempt(number, worker, started, clock.instant(), move.outcome(), error));
            }
        }
        assertThat(store.attempts(id)).isEqualTo(expected);
        assertThat(read(id).progress().failures()).isEqualTo(2);
        assertThat(read(id).progress().vanished()).isEqualTo(1);
        assertThat(read(id).progress().lastError()).isEqualTo("fourth");
    }

    private static List<Transition.Ending> endingsOnly(Lease lease) {
        return endings(lease).stream().map(Transition.Ending.class::cast).toList();
    }
}
