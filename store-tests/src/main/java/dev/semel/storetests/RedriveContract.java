package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted.Returned;
import dev.semel.store.SweepRequest;
import dev.semel.store.Task;
import dev.semel.task.Lease;
import dev.semel.task.ReusePolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The law of redriving, M8. */
public abstract class RedriveContract extends StoreContract {

    private static final Draft KEYED = Draft.keyed("k").ttl(Duration.ofHours(1));
    private static final ClaimDraft CLAIM = ClaimDraft.from(Draft.QUEUE);

    /** For subclasses. */
    protected RedriveContract() {}

    @Test
    @DisplayName("M8: a redrive makes a dead letter pending under a fresh budget as the same task")
    void aRedriveIsAFreshBudget() {
        TaskId id = create(Draft.plain());
        claimOne();
        leasesExpire();
        applied(new Settlement.Retry(claimOne(), Duration.ZERO, "first"));
        applied(new Settlement.Fail(claimOne(), true, "too slow"));
        Task dead = read(id);
        assertThat(dead.progress().failures()).isEqualTo(2);
        assertThat(dead.progress().vanished()).isEqualTo(1);
        clock.advance(Duration.ofDays(1));

        applied(new Operation.Redrive(id, 3));
        assertThat(read(id).progress())
                .isEqualTo(
                        new Task.Progress(TaskState.PENDING, 3, 0, 0, clock.instant(), false, null, null, "too slow"));
        assertThat(read(id).lineage()).isEqualTo(dead.lineage());
        assertThat(read(id).run()).isEqualTo(dead.run());
        assertThat(claim(CLAIM.suspects(0)).tasks())
                .as("no longer suspect, and the attempt rises")
                .extracting(claimed -> claimed.lease())
                .containsExactly(lease(id, 4));
        assertThat(store.attempts(id)).hasSize(4);
    }

    @Test
    @DisplayName("M8: only a dead letter can be redriven")
    void onlyTheDeadAreRedriven() {
        for (TaskState state :
                List.of(TaskState.PENDING, TaskState.RUNNING, TaskState.COMPLETED, TaskState.CANCELLED)) {
            TaskId id = createIn(state, Draft.plain());
            for (int attempt = 0; attempt <= 2; attempt++) {
                Operation redrive = new Operation.Redrive(id, attempt);
                changesNothing(() -> assertThat(apply(redrive)).as("%s", state).isEqualTo(Operated.STALE));
            }
            apply(new Operation.Cancel(id));
            apply(new Settlement.Cancelled(lease(id, 1)));
        }
    }

    @Test
    @DisplayName("M8: a task that was asked to cancel and failed is no dead letter")
    void theCancelledAreNotRedriven() {
        TaskId id = create(Draft.plain());
        Lease lease = claimOne();
        apply(new Operation.Cancel(id));
        applied(new Settlement.Fail(lease, false, "broken"));
        changesNothing(() -> assertThat(apply(new Operation.Redrive(id, 1))).isEqualTo(Operated.STALE));
    }

    @Test
    @DisplayName("M8: the attempt fences off a redrive of another death")
    void theAttemptFencesARedrive() {
        TaskId id = createIn(TaskState.FAILED, Draft.plain());
        for (int attempt : new int[] {0, 2, 99}) {
            Operation other = new Operation.Redrive(id, attempt);
            changesNothing(() -> assertThat(apply(other)).isEqualTo(Operated.STALE));
        }
        applied(new Operation.Redrive(id, 1));
        applied(new Settlement.Retry(claimOne(), Duration.ZERO, "again"));
        applied(new Settlement.Fail(claimOne(), false, "broken"));
        changesNothing(() -> assertThat(apply(new Operation.Redrive(id, 2)))
                .as("attempt 2 was no death")
                .isEqualTo(Operated.STALE));
        changesNothing(() -> applied(new Operation.Redrive(id, 1)));
        assertThat(state(id)).as("the later death stays").isEqualTo(TaskState.FAILED);
        applied(new Operation.Redrive(id, 3));
        assertThat(state(id)).isEqualTo(TaskState.PENDING);
    }

    @Test
    @DisplayName("M2, M8: a redrive repeated after a lost answer is applied, whatever happened to the task since")
    void aRepeatedRedriveIsApplied() {
        TaskId id = createIn(TaskState.FAILED, KEYED);
        Operation redrive = new Operation.Redrive(id, 1);
        applied(redrive);
        changesNothing(() -> applied(redrive));
        Lease lease = claimOne();
        changesNothing(() -> applied(redrive));
        applied(new Settlement.Retry(lease, Duration.ZERO, "again"));
        changesNothing(() -> applied(redrive));
        applied(new Settlement.Fail(claimOne(), false, "broken"));
        changesNothing(() -> applied(redrive));
        applied(new Operation.Redrive(id, 3));
        applied(new Operation.Cancel(id));
        changesNothing(() -> applied(redrive));
        changesNothing(() -> applied(new Operation.Redrive(id, 3)));
    }

    @Test
    @DisplayName("M8: a redrive keeps the key that is its own still")
    void aRedriveKeepsItsKey() {
        Instant created = clock.instant();
        TaskId id = createIn(TaskState.FAILED, KEYED);
        clock.advance(Duration.ofMinutes(59));
        applied(new Operation.Redrive(id, 1));
        assertThat(record(KEYED).taskId()).isEqualTo(id);
        assertThat(record(KEYED).state()).isEqualTo(TaskState.PENDING);
        assertThat(record(KEYED).expiresAt()).isEqualTo(created.plus(KEYED.ttl()));
        assertThat(((Returned) submit(KEYED)).existing().taskId()).isEqualTo(id);
    }

    @Test
    @DisplayName("M8: a window that has passed begins again with the redrive")
    void aPassedWindowBeginsAnew() {
        TaskId id = createIn(TaskState.FAILED, KEYED);
        clock.advance(Duration.ofHours(1));
        applied(new Operation.Redrive(id, 1));
        assertThat(record(KEYED).expiresAt()).isEqualTo(clock.instant().plus(KEYED.ttl()));
        applied(new Settlement.Complete(claimOne(), "1"));
        clock.advance(Duration.ofMinutes(59));
        assertThat(((Returned) submit(KEYED)).existing().taskId()).isEqualTo(id);
        clock.advance(Duration.ofMinutes(1));
        create(KEYED);
    }

    @Test
    @DisplayName("M8: a redrive takes back a key that was released or swept")
    void aRedriveTakesAFreeKey() {
        TaskId released = createIn(TaskState.FAILED, KEYED);
        Instant expires = record(KEYED).expiresAt();
        applied(new Operation.ReleaseKey(KEYED.identity(), released));
        applied(new Operation.Redrive(released, 1));
        assertThat(record(KEYED).taskId()).isEqualTo(released);
        assertThat(record(KEYED).expiresAt()).as("the window had not passed").isEqualTo(expires);
        assertThat(((Returned) submit(KEYED)).existing().taskId()).isEqualTo(released);
        applied(new Settlement.Fail(claimOne(), false, "broken"));

        clock.advance(Duration.ofHours(1));
        store.sweep(new SweepRequest(Duration.ofDays(1), Map.of(), Duration.ofDays(1), 10));
        assertThat(store.record(KEYED.identity())).isEmpty();
        applied(new Operation.Redrive(released, 2));
        assertThat(record(KEYED).taskId()).isEqualTo(released);
        assertThat(record(KEYED).inputHash()).isEqualTo(KEYED.hash());
        assertThat(record(KEYED).expiresAt()).isEqualTo(clock.instant().plus(KEYED.ttl()));
    }

    @Test
    @DisplayName("M8: if a newer task holds the key a redrive is superseded and changes nothing")
    void aNewerTaskSupersedes() {
        TaskId old = createIn(TaskState.FAILED, KEYED);
        TaskId rerun = create(KEYED);
        Operation redrive = new Operation.Redrive(old, 1);
        changesNothing(() -> assertThat(apply(redrive)).isEqualTo(Operated.SUPERSEDED));
        claimOne();
        changesNothing(() -> assertThat(apply(redrive)).isEqualTo(Operated.SUPERSEDED));
        clock.advance(Duration.ofHours(2));
        changesNothing(
                () -> assertThat(apply(redrive)).as("open tasks hold their key").isEqualTo(Operated.SUPERSEDED));
        applied(new Settlement.Fail(lease(rerun, 1), false, "broken"));

        TaskId third = create(KEYED);
        applied(new Settlement.Complete(claimOne(), null));
        clock.advance(Duration.ofMinutes(59));
        changesNothing(() -> assertThat(apply(redrive)).isEqualTo(Operated.SUPERSEDED));
        clock.advance(Duration.ofMinutes(1));
        applied(redrive);
        assertThat(record(KEYED).taskId())
                .as("%s has ended and its window passed", third)
                .isEqualTo(old);
        assertThat(record(KEYED).run()).isEqualTo(1);
        assertThat(claimOne()).isEqualTo(lease(old, 2));
    }

    @Test
    @DisplayName("M8: a redrive is superseded while a replaced task of the identity still runs")
    void aReplacedTaskThatRunsSupersedes() {
        TaskId old = createIn(TaskState.FAILED, KEYED);
        TaskId running = createIn(TaskState.RUNNING, KEYED);
        TaskId waiting = create(KEYED.replacing());
        applied(new Operation.Cancel(waiting));
        clock.advance(Duration.ofHours(1));
        Operation redrive = new Operation.Redrive(old, 1);
        changesNothing(() -> assertThat(apply(redrive)).isEqualTo(Operated.SUPERSEDED));
        applied(new Settlement.Cancelled(lease(running, 1)));
        applied(redrive);
    }

    @Test
    @DisplayName("M8: a task that was redriven can be replaced, rerun and returned like any other")
    void aRedrivenTaskIsATaskLikeAnyOther() {
        TaskId id = createIn(TaskState.TIMED_OUT, KEYED);
        applied(new Operation.Redrive(id, 1));
        TaskId replacing = create(KEYED.replacing());
        assertThat(state(id)).isEqualTo(TaskState.CANCELLED);
        assertThat(read(replacing).run()).isEqualTo(2);
        applied(new Settlement.Fail(claimOne(), false, "broken"));
        applied(new Operation.Redrive(replacing, 1));
        applied(new Settlement.Fail(claimOne(), false, "broken again"));
        TaskId rerun = create(KEYED.policy(ReusePolicy.allowFailedOnly()));
        assertThat(read(rerun).run()).isEqualTo(3);
        assertThat(read(rerun).lineage()).isEqualTo(replacing);
    }

    @Test
    @DisplayName("M8: many dead letters are redriven in one batch, item by item")
    void manyAreRedrivenAtOnce() {
        TaskId first = createIn(TaskState.FAILED, Draft.keyed("first"));
        TaskId second = createIn(TaskState.FAILED, Draft.keyed("second"));
        TaskId third = createIn(TaskState.FAILED, Draft.keyed("third"));
        create(Draft.keyed("second"));
        assertThat(store.operate(List.of(
                        new Operation.Redrive(first, 1),
                        new Operation.Redrive(second, 1),
                        new Operation.Redrive(first, 1),
                        new Operation.Redrive(third, 2),
                        new Operation.Redrive(third, 1))))
                .containsExactly(
                        Operated.APPLIED, Operated.SUPERSEDED, Operated.APPLIED, Operated.STALE, Operated.APPLIED);
    }
}
