package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Attempt;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.store.Settlement;
import dev.semel.store.Task;
import dev.semel.task.Lease;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The laws of claiming one queue: C1 to C6 and C8 to C10. */
public abstract class ClaimContract extends StoreContract {

    private static final ClaimDraft CLAIM = ClaimDraft.from(Draft.QUEUE);

    /** For subclasses. */
    protected ClaimContract() {}

    @Test
    @DisplayName("C1: a claim gives each due task to exactly one caller and raises its attempt by one")
    void aDueTaskIsGivenOnce() {
        TaskId id = create(Draft.keyed("k").priority(3));
        Task before = read(id);
        Claimed claimed = claim(CLAIM.worker("first")).tasks().getFirst();

        Task.Progress running = new Task.Progress(
                TaskState.RUNNING, 1, 0, 0, clock.instant().plus(ClaimDraft.LEASE), false, null, null, null);
        assertThat(claimed.lease()).isEqualTo(lease(id, 1));
        assertThat(claimed.task())
                .isEqualTo(new Task(
                        id,
                        before.tenant(),
                        before.queue(),
                        before.type(),
                        before.input(),
                        before.options(),
                        before.identity(),
                        before.run(),
                        before.series(),
                        before.lineage(),
                        before.createdAt(),
                        running));
        assertThat(read(id)).isEqualTo(claimed.task());
        assertThat(claim(CLAIM).tasks()).isEmpty();
        assertThat(another().claim(CLAIM.as(nextClaim())).tasks()).isEmpty();
        assertThat(store.attempts(id)).containsExactly(new Attempt(1, "first", clock.instant(), null, null, null));
    }

    @Test
    @DisplayName("A claim reports how long each task has been due, whatever its priority and attempt")
    void aClaimReportsHowLongTasksWereDue() {
        TaskId first = create(Draft.plain().priority(9));
        clock.advance(Duration.ofSeconds(5));
        TaskId second = create(Draft.plain());
        clock.advance(Duration.ofSeconds(2));
        List<Claimed> taken = claim(CLAIM).tasks();
        assertThat(taken).extracting(claimed -> claimed.task().id()).containsExactly(first, second);
        assertThat(taken).extracting(Claimed::waited).containsExactly(Duration.ofSeconds(7), Duration.ofSeconds(2));

        store.settle(List.of(
                new Settlement.Retry(taken.getFirst().lease(), Duration.ofSeconds(3), "once more"),
                new Settlement.Complete(taken.getLast().lease(), null)));
        clock.advance(Duration.ofSeconds(4));
        assertThat(claim(CLAIM).tasks()).extracting(Claimed::waited).containsExactly(Duration.ofSeconds(1));

        clock.advance(ClaimDraft.LEASE.plusSeconds(6));
        assertThat(claim(CLAIM).tasks()).extracting(Claimed::waited).containsExactly(Duration.ofSeconds(6));
    }

    @Test
    @DisplayName(
            "C1, C8: a lease carries the number of the claim that began its attempt, also when the claim is repeated")
    void aLeaseCarriesTheNumberOfItsClaim() {
        for (int count : new int[] {1, 20}) {
            store.submit(tasks(count, Draft.plain()));
            for (int attempt = 1; attempt <= 2; attempt++) {
                ClaimRequest request = CLAIM.as(nextClaim());
                List<Claimed> taken = store.claim(request).tasks();
                assertThat(taken).hasSize(count);
                for (Claimed claimed : taken) {
                    assertThat(claimed.lease())
                            .isEqualTo(new Lease(claimed.task().id(), attempt, request.claim()));
                }
                assertThat(store.claim(request.again()).tasks()).containsExactlyInAnyOrderElementsOf(taken);
                assertThat(another().claim(request.again()).tasks()).containsExactlyInAnyOrderElementsOf(taken);
                if (attempt == 2) {
                    taken.forEach(claimed -> applied(new Settlement.Complete(claimed.lease(), null)));
                }
                leasesExpire();
            }
        }
    }

    @Test
    @DisplayName("C1: every claim of a task raises its attempt, however the last one ended")
    void everyClaimRaisesTheAttempt() {
        TaskId id = create(Draft.plain());
        for (int attempt = 1; attempt <= 10; attempt++) {
            Lease lease = claimOne();
            assertThat(lease).isEqualTo(lease(id, attempt));
            switch (attempt % 3) {
                case 0 -> applied(new Settlement.Retry(lease, Duration.ZERO, "again"));
                case 1 -> applied(new Settlement.PutBack(lease, Duration.ZERO));
                default -> leasesExpire();
            }
        }
    }

    @Test
    @DisplayName("C1: a claim takes no more than its limit, and tasks that have ended are never claimed")
    void aClaimHasALimit() {
        store.submit(tasks(10, Draft.plain()));
        List<Claimed> first = claim(CLAIM.limit(4)).tasks();
        assertThat(first).hasSize(4);
        first.forEach(claimed -> applied(new Settlement.Complete(claimed.lease(), null)));
        assertThat(claim(CLAIM.limit(4)).tasks()).hasSize(4);
        assertThat(claim(CLAIM.limit(4)).tasks()).hasSize(2);
        clock.advance(Duration.ofDays(1));
        assertThat(claim(CLAIM).tasks()).hasSize(6).doesNotContainAnyElementsOf(first);
    }

    @Test
    @DisplayName("C2: a task that is not due is not claimed, and becomes claimable by the passing of time alone")
    void timeAloneMakesDue() {
        TaskId delayed = create(Draft.plain().delay(Duration.ofMinutes(5)));
        TaskId at =
                create(Draft.plain().start(new NewTask.Start.At(clock.instant().plus(Duration.ofMinutes(10)))));
        clock.advance(Duration.ofMinutes(5).minus(MILLISECOND));
        assertThat(claim(CLAIM).tasks()).isEmpty();
        clock.advance(MILLISECOND);
        assertThat(claimIds(CLAIM.lease(Duration.ofDays(1)))).containsExactly(delayed);
        clock.advance(Duration.ofMinutes(5));
        assertThat(claimIds(CLAIM)).containsExactly(at);
    }

    @Test
    @DisplayName("C2: a retry and a put-back are due after their delay, and not before")
    void aDelayHolds() {
        TaskId id = create(Draft.plain());
        applied(new Settlement.Retry(claimOne(), Duration.ofSeconds(10), "again"));
        clock.advance(Duration.ofSeconds(10).minus(MILLISECOND));
        assertThat(claim(CLAIM).tasks()).isEmpty();
        clock.advance(MILLISECOND);
        applied(new Settlement.PutBack(claimOne(), Duration.ofHours(1)));
        clock.advance(Duration.ofHours(1).minus(MILLISECOND));
        assertThat(claim(CLAIM).tasks()).isEmpty();
        clock.advance(MILLISECOND);
        assertThat(claimIds(CLAIM)).containsExactly(id);
    }

    @Test
    @DisplayName("C2: 10,000 tasks due at one instant are all claimed from that instant on, each once")
    void manyAreDueAtOneInstant() {
        store.submit(tasks(10_000, Draft.plain().delay(Duration.ofHours(1))));
        clock.advance(Duration.ofHours(1).minus(MILLISECOND));
        assertThat(claim(CLAIM).tasks()).isEmpty();
        clock.advance(MILLISECOND);
        Set<TaskId> claimed = new HashSet<>();
        for (int i = 0; i < 4; i++) {
            List<TaskId> taken = claimIds(CLAIM.limit(2_500));
            assertThat(taken).hasSize(2_500);
            claimed.addAll(taken);
        }
        assertThat(claimed).hasSize(10_000);
        assertThat(claim(CLAIM).tasks()).isEmpty();
    }

    @Test
    @DisplayName("C3: an expired lease makes the task due again; the vanished attempt is counted")
    void anExpiredLeaseMakesDue() {
        TaskId id = create(Draft.plain());
        Instant started = clock.instant();
        claim(CLAIM.worker("gone"));
        clock.advance(ClaimDraft.LEASE.minus(MILLISECOND));
        assertThat(claim(CLAIM).tasks()).isEmpty();
        clock.advance(Duration.ofSeconds(7));
        Instant found = clock.instant();
        Claimed claimed = claim(CLAIM.worker("next")).tasks().getFirst();

        assertThat(claimed.lease()).isEqualTo(lease(id, 2));
        assertThat(claimed.task().progress())
                .isEqualTo(new Task.Progress(
                        TaskState.RUNNING, 2, 0, 1, found.plus(ClaimDraft.LEASE), false, null, null, null));
        assertThat(store.attempts(id))
                .containsExactly(
                        new Attempt(1, "gone", started, found, Attempt.Outcome.VANISHED, null),
                        new Attempt(2, "next", found, null, null, null));
    }

    @Test
    @DisplayName("C3: a lease expires at its end, not later")
    void aLeaseRunsOutAtItsEnd() {
        create(Draft.plain());
        claimOne();
        leasesExpire();
        assertThat(claim(CLAIM).tasks()).hasSize(1);
    }

    @Test
    @DisplayName("C4: a claim takes only the queues and types it names")
    void aClaimTakesOnlyWhatItNames() {
        TaskId wanted = create(Draft.plain());
        TaskId otherType = create(Draft.plain().type("type-2"));
        TaskId otherQueue = create(Draft.plain().queue("queue-2"));
        assertThat(claimIds(CLAIM.ofTypes("type-3"))).isEmpty();
        assertThat(claimIds(CLAIM.ofTypes())).isEmpty();
        assertThat(claimIds(ClaimDraft.from("queue-3"))).isEmpty();
        assertThat(claimIds(CLAIM.ofTypes(Draft.TYPE, "type-3"))).containsExactly(wanted);
        assertThat(claimIds(CLAIM.ofTypes("type-2"))).containsExactly(otherType);
        leasesExpire();
        assertThat(claimIds(CLAIM.ofTypes(Draft.TYPE)))
                .as("an expired lease too")
                .containsExactly(wanted);
        assertThat(claimIds(ClaimDraft.from("queue-2", "queue-3"))).containsExactly(otherQueue);
        assertThat(state(otherType)).as("stays as it is").isEqualTo(TaskState.RUNNING);
    }

    @Test
    @DisplayName("C4: a type without a handler does not keep the others of its queue from being claimed")
    void anUnknownTypeIsNoObstacle() {
        store.submit(tasks(1_000, Draft.plain().type("unknown").priority(9)));
        List<NewTask> known = tasks(3, Draft.plain());
        store.submit(known);
        assertThat(claimIds(CLAIM.ofTypes(Draft.TYPE).limit(10)))
                .isEqualTo(known.stream().map(NewTask::id).toList());
    }

    @Test
    @DisplayName("C5: a claim takes no more tasks with a vanished attempt than it allows, and leaves the others due")
    void suspectsAreLimited() {
        List<NewTask> suspects = tasks(5, Draft.plain().priority(9));
        store.submit(suspects);
        assertThat(claim(CLAIM).tasks()).hasSize(5);
        leasesExpire();
        List<NewTask> innocent = tasks(3, Draft.plain());
        store.submit(innocent);
        List<TaskId> innocentIds = innocent.stream().map(NewTask::id).toList();
        Snapshot before = everything();

        Claims none = claim(CLAIM.suspects(0));
        assertThat(none.tasks()).extracting(claimed -> claimed.task().id()).containsExactlyElementsOf(innocentIds);
        assertThat(none.nextDue()).isEqualTo(Duration.ZERO);
        suspects.forEach(
                task -> assertThat(read(task.id())).isEqualTo(before.tasks().get(task.id())));

        assertThat(claimIds(CLAIM.suspects(2)))
                .containsExactly(suspects.get(0).id(), suspects.get(1).id());
        assertThat(claimIds(CLAIM.suspects(1))).containsExactly(suspects.get(2).id());
        assertThat(claimIds(CLAIM.suspects(5)))
                .containsExactly(suspects.get(3).id(), suspects.get(4).id());
    }

    @Test
    @DisplayName("C5: a task with a vanished attempt stays suspect when it is pending again")
    void suspicionStays() {
        TaskId id = create(Draft.plain());
        claimOne();
        leasesExpire();
        applied(new Settlement.PutBack(claimOne(), Duration.ZERO));
        assertThat(claim(CLAIM.suspects(0)).tasks()).isEmpty();
        assertThat(state(id)).isEqualTo(TaskState.PENDING);
        assertThat(claimIds(CLAIM.suspects(1))).containsExactly(id);
    }

    @Test
    @DisplayName("C5: after a mass expiry every claim takes its one suspect, and all the innocent that it may")
    void aMassExpiryComesBackOneByOne() {
        store.submit(tasks(300, Draft.plain()));
        assertThat(claim(CLAIM).tasks()).hasSize(300);
        leasesExpire();
        store.submit(tasks(50, Draft.plain()));
        assertThat(claim(CLAIM.limit(100).suspects(1)).tasks()).hasSize(51);
        Set<TaskId> seen = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            List<TaskId> taken = claimIds(CLAIM.limit(100).suspects(1).lease(Duration.ofDays(1)));
            assertThat(taken).hasSize(1);
            seen.addAll(taken);
        }
        assertThat(seen).hasSize(20);
        assertThat(claim(CLAIM.suspects(10_000)).tasks()).hasSize(279);
    }

    @Test
    @DisplayName("C6: within a queue higher priority comes first, then earlier due time, then order of creation")
    void priorityThenDueThenCreation() {
        TaskId later = create(Draft.plain().delay(Duration.ofSeconds(2)));
        TaskId sooner = create(Draft.plain().delay(Duration.ofSeconds(1)));
        TaskId soonerToo = create(Draft.plain().delay(Duration.ofSeconds(1)));
        TaskId high = create(Draft.plain().priority(1).delay(Duration.ofSeconds(2)));
        TaskId highest = create(Draft.plain().priority(9).delay(Duration.ofSeconds(2)));
        TaskId highestNotDue = create(Draft.plain().priority(9).delay(Duration.ofSeconds(3)));
        clock.advance(Duration.ofSeconds(2));
        assertThat(claimIds(CLAIM)).containsExactly(highest, high, sooner, soonerToo, later);
        assertThat(state(highestNotDue)).isEqualTo(TaskState.PENDING);
    }

    @Test
    @DisplayName("C6: the order holds over types and over several claims")
    void theOrderHoldsOverTypes() {
        List<TaskId> expected = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            expected.add(create(Draft.plain().type("type-" + i % 3)));
            clock.advance(MILLISECOND);
        }
        List<TaskId> claimed = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            claimed.addAll(claimIds(CLAIM.ofTypes("type-0", "type-1", "type-2").limit(2)));
        }
        assertThat(claimed).isEqualTo(expected);
    }

    @Test
    @DisplayName("C6: a minute of waiting outweighs one step of priority")
    void waitingOutweighsPriority() {
        TaskId low = create(Draft.plain());
        clock.advance(Limits.PRIORITY_STEP.minus(MILLISECOND));
        TaskId stepBelow = create(Draft.plain().priority(1));
        clock.advance(MILLISECOND);
        TaskId tie = create(Draft.plain().priority(1));
        clock.advance(MILLISECOND);
        TaskId stepAbove = create(Draft.plain().priority(1));
        assertThat(claimIds(CLAIM)).containsExactly(stepBelow, low, tie, stepAbove);
    }

    @Test
    @DisplayName("C6: a low priority is not starved by a stream of high ones")
    void aLowPriorityIsNotStarved() {
        TaskId low = create(Draft.plain());
        for (int minute = 0; minute < 9; minute++) {
            TaskId high = create(Draft.plain().priority(9));
            assertThat(claimIds(CLAIM.limit(1).lease(Duration.ofDays(1)))).containsExactly(high);
            clock.advance(Duration.ofMinutes(1));
        }
        clock.advance(MILLISECOND);
        create(Draft.plain().priority(9));
        assertThat(claimIds(CLAIM.limit(1))).containsExactly(low);
    }

    @Test
    @DisplayName("C8: a claim repeated with its number returns the tasks that it took and that still belong to it")
    void aRepeatedClaimReturnsItsTasks() {
        store.submit(tasks(6, Draft.plain()));
        ClaimRequest request = CLAIM.limit(5).as(nextClaim());
        List<Claimed> taken = store.claim(request).tasks();
        assertThat(taken).hasSize(5);
        changesNothing(
                () -> assertThat(store.claim(request.again()).tasks()).containsExactlyInAnyOrderElementsOf(taken));

        applied(new Settlement.Complete(taken.get(0).lease(), null));
        applied(new Settlement.Retry(taken.get(1).lease(), Duration.ZERO, "again"));
        applied(new Settlement.PutBack(taken.get(2).lease(), Duration.ZERO));
        Claims other = claim(CLAIM.limit(1));
        assertThat(other.tasks()).hasSize(1);
        changesNothing(() ->
                assertThat(store.claim(request.again()).tasks()).containsExactlyInAnyOrder(taken.get(3), taken.get(4)));
        changesNothing(() -> assertThat(another().claim(request.again()).tasks())
                .containsExactlyInAnyOrder(taken.get(3), taken.get(4)));
    }

    @Test
    @DisplayName("C8: a task whose lease has expired belongs to its claim until another attempt has begun")
    void aRepeatedClaimKeepsWhatNoOtherTook() {
        store.submit(tasks(2, Draft.plain()));
        ClaimRequest request = CLAIM.as(nextClaim());
        List<Claimed> taken = store.claim(request).tasks();
        leasesExpire();
        changesNothing(
                () -> assertThat(store.claim(request.again()).tasks()).containsExactlyInAnyOrderElementsOf(taken));
        TaskId stolen = claimIds(CLAIM.limit(1)).getFirst();
        changesNothing(() -> assertThat(store.claim(request.again()).tasks())
                .hasSize(1)
                .allSatisfy(kept -> assertThat(kept.task().id()).isNotEqualTo(stolen)));
    }

    @Test
    @DisplayName("C8: a repeated claim that was never done is done now, and then repeated")
    void aRepeatedClaimThatWasLostOnTheWayIsDone() {
        List<NewTask> due = tasks(3, Draft.plain());
        store.submit(due);
        ClaimRequest request = CLAIM.limit(2).as(nextClaim()).again();
        List<Claimed> taken = store.claim(request).tasks();
        assertThat(taken)
                .extracting(claimed -> claimed.task().id())
                .containsExactly(due.get(0).id(), due.get(1).id());
        assertThat(store.claim(request).tasks()).containsExactlyInAnyOrderElementsOf(taken);
    }

    @Test
    @DisplayName("C9: a claim that takes less than it may returns how long until the next task is due")
    void aClaimTellsWhenTheNextIsDue() {
        assertThat(claim(CLAIM).nextDue()).as("nothing is there").isNull();
        create(Draft.plain().delay(Duration.ofMinutes(10)));
        create(Draft.plain().delay(Duration.ofMinutes(12)).priority(9));
        create(Draft.plain().type("other").delay(Duration.ofMinutes(3)));
        create(Draft.plain().queue("other").delay(Duration.ofMinutes(1)));
        assertThat(claim(CLAIM).nextDue()).isEqualTo(Duration.ofMinutes(3));
        assertThat(claim(CLAIM.ofTypes(Draft.TYPE)).nextDue()).isEqualTo(Duration.ofMinutes(10));
        assertThat(claim(CLAIM.ofTypes("unknown")).nextDue()).isNull();
        assertThat(claim(ClaimDraft.from(Draft.QUEUE, "other")).nextDue()).isEqualTo(Duration.ofMinutes(1));
        clock.advance(Duration.ofMinutes(2));
        assertThat(claim(CLAIM.ofTypes(Draft.TYPE)).nextDue()).isEqualTo(Duration.ofMinutes(8));
    }

    @Test
    @DisplayName("C11: a claim that is narrowed to a tenant takes that tenant's tasks and no others, repeated too")
    void aClaimOfOneTenant() {
        TaskId ours = create(Draft.plain().tenant("a"));
        TaskId theirs = create(Draft.plain().tenant("b"));
        TaskId later = create(Draft.plain().tenant("a").start(new NewTask.Start.After(Duration.ofHours(1))));
        ClaimRequest request = CLAIM.as(4_711).ofTenant("a");
        Claims claims = store.claim(request);
        assertThat(claims.tasks()).extracting(claimed -> claimed.task().id()).containsExactly(ours);
        assertThat(claims.nextDue())
                .as("the lease, and not the foreign task that is due")
                .isNotNull()
                .isPositive();
        assertThat(store.claim(request.again()).tasks())
                .extracting(claimed -> claimed.task().id())
                .containsExactly(ours);
        assertThat(store.claim(CLAIM.as(4_711).ofTenant("b").again()).tasks())
                .as("a repeated claim of another tenant with the same number")
                .extracting(claimed -> claimed.task().id())
                .containsExactly(theirs);
        assertThat(store.claim(CLAIM.as(4_712).ofTenant("c")).tasks()).isEmpty();
        assertThat(store.find(List.of(later)).values()).extracting(Task::state).containsExactly(TaskState.PENDING);
    }

    @Test
    @DisplayName("C10: the inputs that a claim takes have together no more bytes than it allows")
    void aClaimIsBoundByBytes() {
        List<TaskId> all = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            // 1,002 bytes of UTF-8 in 334 characters and two quotes
            all.add(create(Draft.plain().input("\"" + "€".repeat(333) + (i % 10) + "\"")));
        }
        ClaimDraft claimDraft = CLAIM.bytes(3 * 1_002 + 1_001);
        Claims first = claim(claimDraft);
        assertThat(first.tasks())
                .extracting(claimed -> claimed.task().id())
                .containsExactlyElementsOf(all.subList(0, 3));
        assertThat(first.nextDue()).isEqualTo(Duration.ZERO);
        assertThat(claimIds(claimDraft)).containsExactlyElementsOf(all.subList(3, 6));
        assertThat(claimIds(claimDraft.limit(2))).containsExactlyElementsOf(all.subList(6, 8));
        assertThat(claimIds(claimDraft)).containsExactlyElementsOf(all.subList(8, 10));
        assertThat(claim(claimDraft).tasks()).isEmpty();
        leasesExpire();
        assertThat(claim(claimDraft).tasks())
                .as("tasks with a vanished attempt")
                .hasSize(3);
    }

    @Test
    @DisplayName(
            "C10: a claim takes at least one task, whatever its size, and a mutex or a limit loses nothing by the cut")
    void aClaimTakesOneOfAnySize() {
        TaskId holder = create(Draft.plain().mutex("m").input("\"" + "x".repeat(998) + "\""));
        TaskId waits = create(Draft.plain().mutex("m").input("\"" + "x".repeat(998) + "\""));
        TaskId free = create(Draft.plain().input("\"" + "x".repeat(998) + "\""));
        Claims one = claim(CLAIM.bytes(1));
        assertThat(one.tasks()).extracting(claimed -> claimed.task().id()).containsExactly(holder);
        assertThat(one.nextDue()).isEqualTo(Duration.ZERO);
        assertThat(claimIds(CLAIM.bytes(1))).containsExactly(free);
        applied(new Settlement.Complete(one.tasks().getFirst().lease(), null));
        assertThat(claimIds(CLAIM.bytes(1))).containsExactly(waits);
    }

    @Test
    @DisplayName("C10, C7: tenants take turns even if each claim has room for the input of one")
    void turnsHoldUnderABoundOfBytes() {
        for (String tenant : List.of("a", "b", "c")) {
            store.submit(tasks(4, Draft.plain().tenant(tenant).input("\"" + "x".repeat(998) + "\"")));
        }
        Set<String> tenants = new HashSet<>();
        for (int i = 0; i < 9; i++) {
            tenants.add(claim(CLAIM.limit(50).bytes(1_500))
                    .tasks()
                    .getFirst()
                    .task()
                    .tenant());
        }
        assertThat(tenants).containsExactlyInAnyOrder("a", "b", "c");
    }

    @Test
    @DisplayName("C9: a running task counts with the end of its lease; a waiting or ended one does not count")
    void leaseEndsCountAsDue() {
        create(Draft.keyed("k"));
        Lease lease =
                claim(CLAIM.lease(Duration.ofMinutes(5))).tasks().getFirst().lease();
        assertThat(claim(CLAIM).nextDue()).isEqualTo(Duration.ofMinutes(5));
        applied(new Settlement.Extend(lease, Duration.ofMinutes(9)));
        assertThat(claim(CLAIM).nextDue()).isEqualTo(Duration.ofMinutes(9));
        TaskId waiting = create(Draft.keyed("k").replacing());
        assertThat(claim(CLAIM).nextDue()).isEqualTo(Duration.ofMinutes(9));
        applied(new Operation.Cancel(waiting));
        applied(new Settlement.Cancelled(lease));
        assertThat(claim(CLAIM).nextDue()).isNull();
    }
}
