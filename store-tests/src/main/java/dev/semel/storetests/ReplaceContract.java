package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Attempt;
import dev.semel.store.Operation;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted.Created;
import dev.semel.store.Submitted.Returned;
import dev.semel.store.SweepRequest;
import dev.semel.store.Swept;
import dev.semel.task.Lease;
import dev.semel.task.Scope;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The law of replacing, S10: two tasks of one identity never run at the same time. */
public abstract class ReplaceContract extends StoreContract {

    private static final Draft OLD = Draft.keyed("k");
    private static final Draft NEW = OLD.input("{\"n\":2}").replacing();

    /** For subclasses. */
    protected ReplaceContract() {}

    @Test
    @DisplayName("S10: a replaced task that is pending is cancelled at once, and the new one is pending")
    void aPendingTaskIsReplacedAtOnce() {
        TaskId old = create(OLD);
        clock.advance(Duration.ofSeconds(1));
        TaskId replacing = create(NEW);

        assertThat(state(old)).isEqualTo(TaskState.CANCELLED);
        assertThat(read(old).progress().finishedAt()).isEqualTo(clock.instant());
        assertThat(read(old).progress().cancelRequested()).isTrue();
        assertThat(state(replacing)).isEqualTo(TaskState.PENDING);
        assertThat(read(replacing).run()).isEqualTo(2);
        assertThat(read(replacing).lineage()).isEqualTo(replacing);
        assertThat(record(OLD).taskId()).isEqualTo(replacing);
        assertThat(record(OLD).inputHash()).isEqualTo(NEW.hash());
        assertThat(claimIds(ClaimDraft.from(Draft.QUEUE))).containsExactly(replacing);
    }

    @Test
    @DisplayName("S10: a replaced task that is pending for its retry is cancelled at once as well")
    void aTaskBetweenAttemptsIsReplacedAtOnce() {
        TaskId old = create(OLD);
        applied(new Settlement.Retry(claimOne(), Duration.ofMinutes(1), "again"));
        TaskId replacing = create(NEW);
        assertThat(state(old)).isEqualTo(TaskState.CANCELLED);
        assertThat(read(old).progress().failures()).isEqualTo(1);
        assertThat(state(replacing)).isEqualTo(TaskState.PENDING);
    }

    @Test
    @DisplayName("S10: a replaced task that runs is asked to cancel, and the new one waits")
    void aRunningTaskIsAsked() {
        TaskId old = create(OLD);
        Lease lease = claimOne();
        TaskId replacing = create(NEW);

        assertThat(state(old)).isEqualTo(TaskState.RUNNING);
        assertThat(read(old).progress().cancelRequested()).isTrue();
        assertThat(state(replacing)).isEqualTo(TaskState.WAITING);
        assertThat(record(OLD).taskId()).isEqualTo(replacing);
        assertThat(record(OLD).state()).isEqualTo(TaskState.WAITING);
        assertThat(claim(ClaimDraft.from(Draft.QUEUE)).tasks()).isEmpty();
        assertThat(apply(new Settlement.Extend(lease, ClaimDraft.LEASE))).isEqualTo(Settled.CANCEL_REQUESTED);
        assertThat(state(replacing)).isEqualTo(TaskState.WAITING);
    }

    @Test
    @DisplayName("S10: the new one is pending in the very step in which the old one ends, however it ends")
    void everyEndLetsTheNewOneGo() {
        Map<TaskState, Function<Lease, Settlement>> ends = Map.of(
                TaskState.COMPLETED,
                lease -> new Settlement.Complete(lease, null),
                TaskState.CANCELLED,
                Settlement.Cancelled::new);
        List<Function<Lease, Settlement>> cancelling = List.of(
                lease -> new Settlement.Fail(lease, false, "broken"),
                lease -> new Settlement.Fail(lease, true, "too slow"),
                lease -> new Settlement.Retry(lease, Duration.ofHours(1), "again"),
                lease -> new Settlement.PutBack(lease, Duration.ofHours(1)));
        ends.forEach((state, end) -> assertLetsGo(end, state));
        cancelling.forEach(end -> assertLetsGo(end, TaskState.CANCELLED));
    }

    private void assertLetsGo(Function<Lease, Settlement> end, TaskState expected) {
        Draft draft = Draft.keyed("key " + ids.next());
        TaskId old = create(draft);
        Lease lease = claimOne();
        TaskId replacing = create(draft.replacing());
        clock.advance(Duration.ofSeconds(1));
        applied(end.apply(lease));
        assertThat(state(old)).as("%s", end.apply(lease)).isEqualTo(expected);
        assertThat(state(replacing)).isEqualTo(TaskState.PENDING);
        applied(new Settlement.Complete(claimOne(), null));
        assertThat(state(replacing)).isEqualTo(TaskState.COMPLETED);
    }

    @Test
    @DisplayName(
            "S10: a replaced task whose worker vanished is ended by the claim that finds it, and the new one is taken")
    void aVanishedTaskLetsTheNewOneGo() {
        TaskId old = create(OLD);
        claimOne();
        TaskId replacing = create(NEW);
        clock.advance(ClaimDraft.LEASE.minus(MILLISECOND));
        assertThat(claim(ClaimDraft.from(Draft.QUEUE)).tasks()).isEmpty();
        clock.advance(MILLISECOND);
        assertThat(claim(ClaimDraft.from("elsewhere")).tasks()).isEmpty();
        assertThat(claim(ClaimDraft.from(Draft.QUEUE).ofTypes("other")).tasks()).isEmpty();
        assertThat(state(old)).as("only a claim of its queue and type finds it").isEqualTo(TaskState.RUNNING);

        assertThat(claimIds(ClaimDraft.from(Draft.QUEUE))).containsExactly(replacing);
        assertThat(state(old)).isEqualTo(TaskState.CANCELLED);
        assertThat(read(old).progress().vanished()).isEqualTo(1);
        assertThat(store.attempts(old).getFirst().outcome()).isEqualTo(Attempt.Outcome.VANISHED);
        assertThat(apply(new Settlement.Complete(lease(old, 1), null))).isEqualTo(Settled.STALE);
    }

    @Test
    @DisplayName("S10: a sweep ends a replaced task whose worker vanished, whatever its queue")
    void aSweepLetsTheNewOneGo() {
        TaskId old = create(OLD);
        claimOne();
        TaskId replacing = create(NEW.queue("elsewhere"));
        leasesExpire();
        store.sweep(new SweepRequest(Duration.ofDays(7), Map.of(), Duration.ofDays(30), 10));
        assertThat(state(old)).isEqualTo(TaskState.CANCELLED);
        assertThat(read(old).progress().vanished()).isEqualTo(1);
        assertThat(state(replacing)).isEqualTo(TaskState.PENDING);
        assertThat(claimIds(ClaimDraft.from("elsewhere"))).containsExactly(replacing);
    }

    @Test
    @DisplayName("S10: a sweep that removes nothing ends a replaced task whose worker vanished, and nothing else")
    void aSweepOfVanishedAttemptsLetsTheNewOneGo() {
        TaskId ended = create(Draft.plain());
        applied(new Settlement.Complete(claimOne(), null));
        TaskId lost = create(Draft.plain());
        claimOne();
        TaskId old = create(OLD);
        claimOne();
        TaskId replacing = create(NEW.queue("elsewhere"));
        assertThat(store.sweep(SweepRequest.ofVanished())).isEqualTo(Swept.NOTHING);
        assertThat(state(old)).as("its lease has not run out").isEqualTo(TaskState.RUNNING);
        leasesExpire();
        clock.advance(Duration.ofDays(200));
        assertThat(store.sweep(SweepRequest.ofVanished())).isEqualTo(Swept.NOTHING);
        assertThat(state(old)).isEqualTo(TaskState.CANCELLED);
        assertThat(read(old).progress().vanished()).isEqualTo(1);
        assertThat(state(lost)).as("nobody asked to cancel it").isEqualTo(TaskState.RUNNING);
        assertThat(state(ended)).isEqualTo(TaskState.COMPLETED);
        assertThat(claimIds(ClaimDraft.from("elsewhere"))).containsExactly(replacing);
    }

    @Test
    @DisplayName("S10: the new one keeps its own start")
    void theNewOneKeepsItsStart() {
        create(OLD);
        Lease lease = claimOne();
        Instant start = clock.instant().plus(Duration.ofMinutes(10));
        TaskId replacing = create(NEW.start(new dev.semel.store.NewTask.Start.At(start)));
        assertThat(read(replacing).progress().dueAt()).isEqualTo(start);
        clock.advance(Duration.ofMinutes(1));
        applied(new Settlement.Cancelled(lease));
        assertThat(state(replacing)).isEqualTo(TaskState.PENDING);
        assertThat(read(replacing).progress().dueAt()).isEqualTo(start);
        assertThat(claim(ClaimDraft.from(Draft.QUEUE)).tasks()).isEmpty();
        clock.advance(Duration.ofMinutes(9));
        assertThat(claimIds(ClaimDraft.from(Draft.QUEUE))).containsExactly(replacing);
    }

    @Test
    @DisplayName("S10: a replaced task that waits is cancelled at once, and the newest waits for the one that runs")
    void aWaitingTaskIsReplaced() {
        TaskId first = create(OLD);
        Lease lease = claimOne();
        TaskId second = create(NEW);
        TaskId third = create(NEW.input("{\"n\":3}"));

        assertThat(state(first)).isEqualTo(TaskState.RUNNING);
        assertThat(state(second)).isEqualTo(TaskState.CANCELLED);
        assertThat(read(second).progress().attempt()).isZero();
        assertThat(state(third)).isEqualTo(TaskState.WAITING);
        assertThat(read(third).run()).isEqualTo(3);
        assertThat(claim(ClaimDraft.from(Draft.QUEUE)).tasks()).isEmpty();
        applied(new Settlement.Cancelled(lease));
        assertThat(state(second)).isEqualTo(TaskState.CANCELLED);
        assertThat(claimIds(ClaimDraft.from(Draft.QUEUE))).containsExactly(third);
    }

    @Test
    @DisplayName("S10: a rerun of a cancelled successor waits as well, as long as the replaced task runs")
    void aRerunWaitsForTheReplacedTask() {
        create(OLD);
        Lease lease = claimOne();
        TaskId second = create(NEW.ttl(Duration.ofMinutes(1)));
        applied(new Operation.Cancel(second));

        Created third = (Created) submit(NEW.ttl(Duration.ofMinutes(1)));
        assertThat(third.state()).isEqualTo(TaskState.WAITING);
        applied(new Operation.Cancel(third.taskId()));
        clock.advance(Duration.ofMinutes(1));
        Created fourth = (Created) submit(NEW);
        assertThat(fourth.run()).as("the window has passed").isEqualTo(1);
        assertThat(fourth.state()).isEqualTo(TaskState.WAITING);

        applied(new Settlement.Complete(lease, null));
        assertThat(claimIds(ClaimDraft.from(Draft.QUEUE))).containsExactly(fourth.taskId());
    }

    @Test
    @DisplayName("S10: a task that waits can be replaced over queues and types, and answers for the identity")
    void replacingWorksOverQueuesAndTypes() {
        Draft shared = OLD.scope(Scope.custom("orders"));
        TaskId old = create(shared);
        Lease lease = claimOne();
        TaskId replacing = create(shared.queue("other").type("other").replacing());
        assertThat(((Returned) submit(shared.type("other"))).existing().taskId())
                .isEqualTo(replacing);
        assertThat(claim(ClaimDraft.from(Draft.QUEUE, "other")).tasks()).isEmpty();
        applied(new Settlement.Cancelled(lease));
        assertThat(state(old)).isEqualTo(TaskState.CANCELLED);
        assertThat(claimIds(ClaimDraft.from("other"))).containsExactly(replacing);
    }

    @Test
    @DisplayName("S10: the end of a task for which no other waits wakes none")
    void onlyTheRightOneIsWoken() {
        create(OLD);
        Lease old = claimOne();
        TaskId waiting = create(NEW);
        create(Draft.keyed("stranger"));
        applied(new Settlement.Complete(claimOne(), null));
        create(Draft.plain());
        applied(new Settlement.Cancelled(claimOne()));
        assertThat(state(waiting)).isEqualTo(TaskState.WAITING);
        applied(new Settlement.Complete(old, null));
        assertThat(state(waiting)).isEqualTo(TaskState.PENDING);
    }
}
