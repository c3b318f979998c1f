package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.ClaimRequest;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.Created;
import dev.semel.store.Submitted.Returned;
import dev.semel.store.SweepRequest;
import dev.semel.store.Swept;
import dev.semel.store.TaskStore;
import dev.semel.storetests.FaultyStore.Fault;
import dev.semel.task.Lease;
import dev.semel.task.ReusePolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * House rule one: every operation may be repeated after a lost answer. Here each operation is, at once and after the world
 * has changed; and one story is told with every call failing in one of its tellings, before it is done and after.
 */
public abstract class RepetitionContract extends StoreContract {

    // Calls from one that fails to the next, in the story with failures.
    private static final int APART = 8;

    private static final Draft KEYED = Draft.keyed("k");
    private static final SweepRequest ALL = new SweepRequest(Duration.ZERO, Map.of(), Duration.ZERO, 1_000);

    /** For subclasses. */
    protected RepetitionContract() {}

    @Test
    @DisplayName(
            "Whichever call fails, before it is done or after, repeating it leads to the same answers and the same end")
    void anyCallMayFail() {
        Story undisturbed = tell(UnaryOperator.identity());
        assertThat(undisturbed.calls()).isGreaterThan(20);
        for (Fault fault : List.of(Fault.BEFORE, Fault.AFTER)) {
            // The repetition of a failed call counts too, so the next one that fails is a call less later in the story.
            for (int first = 1; first < APART; first++) {
                int from = first;
                assertThat(tell(store -> new FaultyStore(
                                store, call -> call >= from && (call - from) % APART == 0 ? fault : Fault.NONE)))
                        .as("every %sth call from the %sth on fails %s it is done", APART, first, fault)
                        .isEqualTo(undisturbed);
            }
        }
    }

    @Test
    @DisplayName("However many calls fail, repeating them leads to the same answers and the same end")
    void manyCallsMayFail() {
        Story undisturbed = tell(UnaryOperator.identity());
        Seeds.each(
                10,
                seed -> assertThat(tell(store -> FaultyStore.seeded(store, seed, 0.4)))
                        .isEqualTo(undisturbed));
    }

    private Story tell(UnaryOperator<TaskStore> hostility) {
        ManualClock itsClock = new ManualClock();
        TaskStore own = fresh(itsClock);
        Story story = Story.tell(hostility.apply(own), itsClock, own);
        knows(Story.identities());
        finish(own);
        return story;
    }

    @Test
    @DisplayName("S5: a batch sent again is answered as the first time, whatever its tasks have done since")
    void aBatchIsRepeated() {
        createIn(TaskState.FAILED, Draft.keyed("failed"));
        createIn(TaskState.RUNNING, Draft.keyed("running"));
        List<NewTask> batch = List.of(
                task(Draft.plain()),
                task(KEYED),
                task(KEYED),
                task(KEYED.input("{\"n\":2}")),
                task(Draft.keyed("failed")),
                task(Draft.keyed("running").replacing()));
        List<Submitted> first = store.submit(batch);
        countsOnly(1, KEYED, () -> assertThat(store.submit(batch)).isEqualTo(first));

        claim(ClaimDraft.from(Draft.QUEUE))
                .tasks()
                .forEach(task -> applied(new Settlement.Complete(task.lease(), "1")));
        clock.advance(Duration.ofDays(1));
        countsOnly(1, KEYED, () -> {
            List<Submitted> again = store.submit(batch);
            for (int i : new int[] {0, 1, 4, 5}) {
                Created created = (Created) again.get(i);
                Created before = (Created) first.get(i);
                TaskState state = i == 5 ? TaskState.WAITING : TaskState.COMPLETED;
                assertThat(created).isEqualTo(new Created(before.taskId(), before.run(), state, before.createdAt()));
            }
            assertThat(((Returned) again.get(2)).existing().result()).isEqualTo("1");
            assertThat(again.get(3)).isInstanceOf(Submitted.Conflicted.class);
        });
    }

    @Test
    @DisplayName("S5: a rerun sent again makes no other one, even after it has failed or was itself rerun")
    void aRerunIsRepeated() {
        createIn(TaskState.FAILED, KEYED);
        NewTask rerun = task(KEYED);
        Created first = (Created) submit(rerun);
        changesNothing(() -> assertThat(submit(rerun)).isEqualTo(first));
        applied(new Settlement.Fail(claimOne(), false, "broken"));
        Created failed = new Created(rerun.id(), 2, TaskState.FAILED, first.createdAt());
        changesNothing(() -> assertThat(submit(rerun)).isEqualTo(failed));
        create(KEYED);
        changesNothing(() -> assertThat(submit(rerun)).isEqualTo(failed));
    }

    @Test
    @DisplayName("S5: a replacement sent again cancels nothing else, even after it was replaced or has ended")
    void aReplacementIsRepeated() {
        TaskId old = createIn(TaskState.RUNNING, KEYED);
        NewTask replacing = task(KEYED.replacing());
        submit(replacing);
        changesNothing(() -> assertThat(submit(replacing)).isInstanceOf(Created.class));
        applied(new Settlement.Cancelled(lease(old, 1)));
        claimOne();
        changesNothing(() -> assertThat(((Created) submit(replacing)).state()).isEqualTo(TaskState.RUNNING));
        TaskId third = create(KEYED.replacing());
        changesNothing(() -> assertThat(((Created) submit(replacing)).state()).isEqualTo(TaskState.RUNNING));
        applied(new Settlement.Complete(lease(replacing.id(), 1), null));
        changesNothing(() -> assertThat(((Created) submit(replacing)).state()).isEqualTo(TaskState.COMPLETED));
        assertThat(state(third)).isEqualTo(TaskState.PENDING);
    }

    @Test
    @DisplayName("S5, W2: a submission sent again is recognised by its tombstone")
    void aSweptSubmissionIsRepeated() {
        NewTask task = task(KEYED.policy(ReusePolicy.afterFinish()));
        Created first = (Created) submit(task);
        applied(new Settlement.Complete(claimOne(), null));
        store.sweep(ALL);
        Created again = new Created(task.id(), 1, TaskState.COMPLETED, first.createdAt());
        changesNothing(() -> assertThat(submit(task)).isEqualTo(again));
        clock.advance(KEYED.ttl());
        changesNothing(() -> assertThat(submit(task)).isEqualTo(again));
    }

    @Test
    @DisplayName("C8: a claim sent again takes nothing else, also when other tasks have become due")
    void aClaimIsRepeated() {
        store.submit(tasks(2, Draft.plain()));
        ClaimRequest request = ClaimDraft.from(Draft.QUEUE).limit(10).as(nextClaim());
        List<Lease> taken = leases(request);
        assertThat(taken).hasSize(2);
        store.submit(tasks(3, Draft.plain()));
        changesNothing(() -> assertThat(leases(request.again())).containsExactlyInAnyOrderElementsOf(taken));
        applied(new Settlement.Complete(taken.getFirst(), null));
        changesNothing(() -> assertThat(leases(request.again())).containsExactly(taken.getLast()));
    }

    @Test
    @DisplayName("M2: an end sent again changes nothing, even after the task was redriven or rerun")
    void anEndIsRepeatedAfterARedrive() {
        TaskId id = create(KEYED);
        Settlement retry = new Settlement.Retry(claimOne(), Duration.ZERO, "again");
        applied(retry);
        Settlement fail = new Settlement.Fail(claimOne(), false, "broken");
        applied(fail);
        applied(new Operation.Redrive(id, 2));
        changesNothing(() -> assertThat(store.settle(List.of(retry, fail))).containsOnly(Settled.APPLIED));
        Lease lease = claimOne();
        changesNothing(() -> assertThat(store.settle(List.of(retry, fail))).containsOnly(Settled.APPLIED));
        applied(new Settlement.Fail(lease, true, "too slow"));
        create(KEYED);
        changesNothing(() -> assertThat(store.settle(List.of(retry, fail))).containsOnly(Settled.APPLIED));
    }

    @Test
    @DisplayName("M5: an extension sent again is applied while the attempt runs, and stale after that")
    void anExtensionIsRepeated() {
        create(Draft.plain());
        Lease lease = claimOne();
        Settlement extend = new Settlement.Extend(lease, ClaimDraft.LEASE);
        applied(extend);
        changesNothing(() -> applied(extend));
        applied(new Settlement.PutBack(lease, Duration.ZERO));
        changesNothing(() -> assertThat(apply(extend)).isEqualTo(Settled.STALE));
        claimOne();
        changesNothing(() -> assertThat(apply(extend)).isEqualTo(Settled.STALE));
    }

    @Test
    @DisplayName("M6: a cancellation sent again changes nothing, and never reaches the next run")
    void aCancellationIsRepeated() {
        TaskId id = create(KEYED);
        Operation cancel = new Operation.Cancel(id);
        applied(cancel);
        changesNothing(() -> applied(cancel));
        create(KEYED);
        changesNothing(() -> applied(cancel));
        TaskId running = claimOne().taskId();
        changesNothing(() -> applied(cancel));
        Operation asked = new Operation.Cancel(running);
        assertThat(apply(asked)).isEqualTo(Operated.CANCEL_REQUESTED);
        changesNothing(() -> assertThat(apply(asked)).isEqualTo(Operated.CANCEL_REQUESTED));
        applied(new Settlement.Complete(lease(running, 1), null));
        changesNothing(() -> assertThat(apply(asked)).isEqualTo(Operated.STALE));
    }

    @Test
    @DisplayName("M9: a release sent again changes nothing, and never releases the key of the next task")
    void aReleaseIsRepeated() {
        TaskId id = createIn(TaskState.COMPLETED, KEYED);
        Operation release = new Operation.ReleaseKey(KEYED.identity(), id);
        applied(release);
        changesNothing(() -> applied(release));
        createIn(TaskState.COMPLETED, KEYED);
        changesNothing(() -> assertThat(apply(release)).isEqualTo(Operated.SUPERSEDED));
    }

    @Test
    @DisplayName("A sweep sent again removes nothing else")
    void aSweepIsRepeated() {
        createIn(TaskState.COMPLETED, KEYED.ttl(Duration.ofHours(1)));
        clock.advance(Duration.ofHours(1));
        create(KEYED);
        assertThat(store.sweep(ALL)).isEqualTo(new Swept(1, 0, false));
        changesNothing(() -> assertThat(store.sweep(ALL)).isEqualTo(new Swept(0, 0, false)));
    }

    private List<Lease> leases(ClaimRequest request) {
        return store.claim(request).tasks().stream()
                .map(claimed -> claimed.lease())
                .toList();
    }
}
