package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted.Returned;
import dev.semel.store.Task;
import dev.semel.store.TaskOptions;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The law of mutexes: Q5. */
public abstract class MutexContract extends StoreContract {

    private static final Draft BOUND = Draft.plain().mutex("m");
    private static final ClaimDraft CLAIM = ClaimDraft.from(Draft.QUEUE);
    private static final int MANY = 2_000;

    /** For subclasses. */
    protected MutexContract() {}

    @Test
    @DisplayName("Q5: a mutex is kept with its task, whatever characters it has")
    void aMutexIsKept() {
        for (String mutex : List.of("m", " spaces around ", "a|b:c", "ключ 🔑", "x".repeat(255))) {
            TaskOptions options = new TaskOptions(3, null, Duration.ofSeconds(5), mutex);
            assertThat(read(create(Draft.plain().options(options))).options()).isEqualTo(options);
        }
    }

    @Test
    @DisplayName("Q5: of the tasks of a mutex a claim takes one, and those that it leaves out are waiting")
    void oneOfAMutexIsTaken() {
        TaskId first = create(BOUND);
        Instant due = clock.instant();
        TaskId second = create(BOUND);
        TaskId third = create(BOUND);
        assertThat(claimIds(CLAIM)).containsExactly(first);
        assertThat(List.of(state(second), state(third))).containsOnly(TaskState.WAITING);
        assertThat(read(second).progress().dueAt()).isEqualTo(due);
        assertThat(claimIds(CLAIM)).isEmpty();
        TaskId fourth = create(BOUND);
        assertThat(claimIds(CLAIM)).isEmpty();
        assertThat(state(fourth)).isEqualTo(TaskState.WAITING);
    }

    @Test
    @DisplayName("Q5: who waits becomes pending in order of due times, one for each end")
    void whoWaitsGoesInOrderOfDueTimes() {
        create(BOUND);
        Lease running = claimOne();
        TaskId third = create(BOUND.delay(Duration.ofSeconds(3)));
        TaskId first = create(BOUND.delay(Duration.ofSeconds(1)));
        TaskId second = create(BOUND.delay(Duration.ofSeconds(2)).priority(9));
        clock.advance(Duration.ofSeconds(5));
        assertThat(claimIds(CLAIM)).isEmpty();
        for (TaskId next : List.of(first, second, third)) {
            assertThat(state(next)).isEqualTo(TaskState.WAITING);
            applied(new Settlement.Complete(running, null));
            assertThat(state(next)).isEqualTo(TaskState.PENDING);
            assertThat(everything().open().stream().filter(task -> task.state() == TaskState.PENDING))
                    .hasSize(1);
            running = claimOne();
            assertThat(running.taskId()).isEqualTo(next);
        }
    }

    @Test
    @DisplayName(
            "Q5, L2: however the attempt ends, the next task becomes pending in the same step and listeners are notified")
    void everyEndLetsTheNextGo() {
        List<Function<Lease, Settlement>> ends = List.of(
                lease -> new Settlement.Complete(lease, null),
                lease -> new Settlement.Retry(lease, Duration.ofDays(1), "again"),
                lease -> new Settlement.PutBack(lease, Duration.ofDays(1)),
                lease -> new Settlement.Fail(lease, false, "broken"),
                lease -> new Settlement.Fail(lease, true, "too slow"),
                Settlement.Cancelled::new);
        Ear ear = new Ear();
        store.listen(ear);
        create(BOUND);
        Lease running = claimOne();
        for (Function<Lease, Settlement> end : ends) {
            TaskId next = create(BOUND);
            assertThat(claimIds(CLAIM)).isEmpty();
            ear.forget();
            applied(end.apply(running));
            assertThat(state(next)).isEqualTo(TaskState.PENDING);
            ear.awaitDue(Draft.QUEUE);
            running = claimOne();
            assertThat(running.taskId()).isEqualTo(next);
        }
    }

    @Test
    @DisplayName("Q5: a task that is retried waits its turn like the others, and runs in the end")
    void aRetriedTaskComesBack() {
        TaskId first = create(BOUND);
        TaskId second = create(BOUND);
        applied(new Settlement.Retry(claimOne(), Duration.ofSeconds(1), "again"));
        Lease other = claimOne();
        assertThat(other.taskId()).isEqualTo(second);
        clock.advance(Duration.ofSeconds(1));
        assertThat(claimIds(CLAIM)).isEmpty();
        applied(new Settlement.Complete(other, null));
        assertThat(claimOne()).isEqualTo(lease(first, 2));
    }

    @Test
    @DisplayName("Q5: the cancellation of a pending task makes the next one pending; that of a waiting one does not")
    void cancellationsOfThoseThatDoNotRun() {
        create(BOUND);
        TaskId second = create(BOUND);
        TaskId third = create(BOUND);
        TaskId fourth = create(BOUND);
        Lease running = claimOne();
        applied(new Operation.Cancel(second));
        assertThat(state(third)).isEqualTo(TaskState.WAITING);
        applied(new Settlement.Complete(running, null));
        assertThat(state(third)).isEqualTo(TaskState.PENDING);
        assertThat(state(fourth)).isEqualTo(TaskState.WAITING);
        applied(new Operation.Cancel(third));
        assertThat(state(fourth)).isEqualTo(TaskState.PENDING);
        assertThat(claimIds(CLAIM)).containsExactly(fourth);
    }

    @Test
    @DisplayName("Q5: an expired lease keeps the mutex: the task that had it is the next to run")
    void anExpiredLeaseKeepsTheMutex() {
        TaskId first = create(BOUND);
        create(BOUND.priority(9).delay(Duration.ofSeconds(1)));
        claimOne();
        leasesExpire();
        assertThat(claimIds(CLAIM.suspects(0))).isEmpty();
        assertThat(claimOne()).isEqualTo(lease(first, 2));
        assertThat(claimIds(CLAIM)).isEmpty();
        leasesExpire();
        assertThat(claimOne()).isEqualTo(lease(first, 3));
    }

    @Test
    @DisplayName("Q5, M1: a late end under an expired lease lets the next go")
    void aLateEndLetsTheNextGo() {
        create(BOUND);
        TaskId second = create(BOUND);
        Lease lease = claimOne();
        leasesExpire();
        assertThat(claimIds(CLAIM.suspects(0))).isEmpty();
        applied(new Settlement.Complete(lease, null));
        assertThat(claimIds(CLAIM.suspects(0))).containsExactly(second);
    }

    @Test
    @DisplayName(
            "Q5, M7: a task that was asked to cancel keeps the mutex until it has ended; if it vanished, the next one becomes pending")
    void aVanishedOneThatWasAskedToCancel() {
        TaskId first = create(BOUND);
        TaskId second = create(BOUND);
        claimOne();
        apply(new Operation.Cancel(first));
        assertThat(claimIds(CLAIM)).isEmpty();
        leasesExpire();
        assertThat(claimIds(CLAIM)).containsExactly(second);
        assertThat(state(first)).isEqualTo(TaskState.CANCELLED);
    }

    @Test
    @DisplayName("Q5, L2: a mutex binds tasks of different queues")
    void oneMutexInTwoQueues() {
        create(BOUND);
        Lease running = claimOne();
        TaskId other = create(BOUND.queue("other"));
        assertThat(claimIds(ClaimDraft.from("other"))).isEmpty();
        assertThat(state(other)).isEqualTo(TaskState.WAITING);
        Ear ear = new Ear();
        store.listen(ear);
        applied(new Settlement.Complete(running, null));
        ear.awaitDue("other");
        assertThat(claimIds(ClaimDraft.from("other"))).containsExactly(other);
        create(BOUND);
        assertThat(claimIds(CLAIM)).isEmpty();
    }

    @Test
    @DisplayName("Q5: in one claim of several queues and tenants a mutex is taken once for each tenant and type")
    void aMutexIsOfATenantAndAType() {
        for (String tenant : List.of("t1", "t2")) {
            for (String type : List.of("a", "b")) {
                for (String queue : List.of("q1", "q2")) {
                    create(BOUND.tenant(tenant).type(type).queue(queue));
                }
            }
        }
        create(Draft.plain().queue("q1"));
        create(Draft.plain().queue("q1"));
        create(Draft.plain().queue("q1").mutex("M"));
        create(Draft.plain().queue("q1").mutex("m "));
        List<Claimed> taken = claim(ClaimDraft.from("q1", "q2")).tasks();
        assertThat(taken.stream()
                        .filter(claimed -> "m".equals(claimed.task().options().mutex()))
                        .map(claimed ->
                                claimed.task().tenant() + " " + claimed.task().type()))
                .containsExactlyInAnyOrder("t1 a", "t1 b", "t2 a", "t2 b");
        assertThat(taken).hasSize(8);
    }

    @Test
    @DisplayName("Q5: thousands that wait for one mutex neither hide other tasks nor cost a claim each")
    void manyWaitBehindOne() {
        create(BOUND);
        Lease running = claimOne();
        List<NewTask> many = tasks(MANY, BOUND.priority(9));
        for (int from = 0; from < MANY; from += 500) {
            store.submit(many.subList(from, from + 500));
        }
        clock.advance(MILLISECOND);
        List<NewTask> others = tasks(10, Draft.plain());
        store.submit(others);
        List<TaskId> taken = new ArrayList<>();
        int claims = 0;
        while (taken.size() < 10) {
            claims++;
            assertThat(claims).as("claims for %s of 10 others", taken.size()).isLessThanOrEqualTo(5);
            taken.addAll(claimIds(CLAIM.limit(5)));
        }
        assertThat(taken)
                .containsExactlyInAnyOrderElementsOf(
                        others.stream().map(NewTask::id).toList());
        List<Operation> cancels = new ArrayList<>();
        many.subList(1, MANY).forEach(task -> cancels.add(new Operation.Cancel(task.id())));
        assertThat(store.operate(cancels)).containsOnly(Operated.APPLIED);
        applied(new Settlement.Complete(running, null));
        assertThat(claimIds(CLAIM)).containsExactly(many.getFirst().id());
    }

    @Test
    @DisplayName("Q5, C9: what waits for a mutex does not count as due")
    void whatWaitsIsNotDue() {
        create(BOUND);
        create(BOUND);
        assertThat(claim(CLAIM).nextDue()).isPositive().isLessThanOrEqualTo(ClaimDraft.LEASE);
        assertThat(claim(CLAIM).nextDue()).isPositive().isLessThanOrEqualTo(ClaimDraft.LEASE);
    }

    @Test
    @DisplayName("Q3 to Q5: a task that its mutex holds back uses up neither a start nor a slot nor the claim's limit")
    void whatWaitsUsesUpNothing() {
        create(BOUND);
        claimOne();
        set("limited", QueueSettings.builder().rateLimit("1/min").concurrency(1));
        create(BOUND.queue("limited").priority(9));
        TaskId free = create(Draft.plain().queue("limited"));
        assertThat(claimIds(ClaimDraft.from("limited").limit(1))).containsExactly(free);
    }

    @Test
    @DisplayName("Q5, C8: a repeated claim gets back the task that holds the mutex")
    void aRepeatedClaimGetsTheHolder() {
        TaskId first = create(BOUND);
        create(BOUND);
        ClaimRequest request = CLAIM.as(nextClaim());
        assertThat(store.claim(request).tasks()).hasSize(1);
        assertThat(store.claim(request.again()).tasks().stream()
                        .map(claimed -> claimed.task().id()))
                .containsExactly(first);
    }

    @Test
    @DisplayName("Q5, S10: a task that replaces waits for the replaced one first, and then for its mutex")
    void aReplacingTaskWaitsForTheReplacedOneFirst() {
        Draft keyed = Draft.keyed("k").mutex("m");
        create(BOUND);
        Lease holder = claimOne();
        TaskId old = create(Draft.keyed("k"));
        Lease replaced = claimOne();
        assertThat(replaced.taskId()).isEqualTo(old);
        TaskId replacing = create(keyed.replacing());
        applied(new Settlement.Complete(holder, null));
        assertThat(state(replacing)).as("the replaced one still runs").isEqualTo(TaskState.WAITING);
        assertThat(claimIds(CLAIM)).isEmpty();
        create(BOUND);
        holder = claimOne();
        applied(new Settlement.Cancelled(replaced));
        assertThat(claimIds(CLAIM)).isEmpty();
        assertThat(state(replacing)).as("the mutex is held").isEqualTo(TaskState.WAITING);
        applied(new Settlement.Complete(holder, null));
        assertThat(claimIds(CLAIM)).containsExactly(replacing);
    }

    @Test
    @DisplayName("Q5, S10: when a replaced holder of the mutex ends, of its successor and the others one runs")
    void aReplacedHolderEnds() {
        Draft keyed = Draft.keyed("k").mutex("m");
        create(keyed);
        Lease old = claimOne();
        TaskId other = create(BOUND);
        TaskId replacing = create(keyed.replacing());
        assertThat(claimIds(CLAIM)).isEmpty();
        applied(new Settlement.Cancelled(old));
        Lease next = claimOne();
        assertThat(next.taskId()).isIn(other, replacing);
        assertThat(claimIds(CLAIM)).isEmpty();
        applied(new Settlement.Complete(next, null));
        assertThat(claimOne().taskId()).isIn(other, replacing).isNotEqualTo(next.taskId());
    }

    @Test
    @DisplayName("Q5, S10: a task that waits for its mutex is replaced at once, and answers submissions of its key")
    void aWaitingOneIsReplaced() {
        Draft keyed = Draft.keyed("k").mutex("m");
        create(BOUND);
        Lease holder = claimOne();
        TaskId waiting = create(keyed);
        assertThat(claimIds(CLAIM)).isEmpty();
        Returned returned = (Returned) submit(keyed);
        assertThat(returned.existing().taskId()).isEqualTo(waiting);
        assertThat(returned.existing().state()).isEqualTo(TaskState.WAITING);
        TaskId replacing = create(keyed.replacing());
        assertThat(state(waiting)).isEqualTo(TaskState.CANCELLED);
        applied(new Settlement.Complete(holder, null));
        assertThat(claimIds(CLAIM)).containsExactly(replacing);
    }

    @Test
    @DisplayName("Q5, M8: a redriven task waits for its mutex like any other")
    void aRedrivenOneWaits() {
        TaskId dead = createIn(TaskState.FAILED, BOUND);
        create(BOUND);
        Lease holder = claimOne();
        applied(new Operation.Redrive(dead, 1));
        assertThat(claimIds(CLAIM)).isEmpty();
        Task waiting = read(dead);
        assertThat(waiting.state()).isEqualTo(TaskState.WAITING);
        assertThat(waiting.progress().attempt()).isEqualTo(1);
        applied(new Operation.Redrive(dead, 1));
        assertThat(state(dead)).isEqualTo(TaskState.WAITING);
        applied(new Settlement.Complete(holder, null));
        assertThat(claimOne()).isEqualTo(lease(dead, 2));
    }

    @Test
    @DisplayName("Q5, M2: an end that is sent again makes no other task pending")
    void aRepeatedEndWakesNoOther() {
        create(BOUND);
        create(BOUND);
        create(BOUND);
        Settlement end = new Settlement.Complete(claimOne(), null);
        applied(end);
        changesNothing(() -> applied(end));
        claimOne();
        changesNothing(() -> applied(end));
    }
}
