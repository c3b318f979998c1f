package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Attempt;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted.Conflicted;
import dev.semel.store.Submitted.Created;
import dev.semel.store.Submitted.ExistingTask;
import dev.semel.store.Submitted.Returned;
import dev.semel.store.SweepRequest;
import dev.semel.store.Swept;
import dev.semel.store.Task;
import dev.semel.task.Lease;
import dev.semel.task.ReusePolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The law of queues that keep nothing: Q7. */
public abstract class NoRetentionContract extends StoreContract {

    private static final Draft KEYED = Draft.keyed("k");
    private static final SweepRequest ALL = new SweepRequest(Duration.ZERO, Map.of(), Duration.ZERO, 1_000);

    /** For subclasses. */
    protected NoRetentionContract() {}

    @BeforeEach
    void setTheQueue() {
        set(Draft.QUEUE, QueueSettings.builder().retention(Duration.ZERO));
    }

    @Test
    @DisplayName("Q7: with the completion input and result go; the bare task stays, with its attempts")
    void aCompletedTaskIsBare() {
        TaskId id = create(KEYED.priority(3));
        applied(new Settlement.Retry(claimOne(), Duration.ZERO, "again"));
        assertThat(read(id).input()).isNotNull();
        Task before = read(id);
        applied(new Settlement.Complete(claimOne(), "\"secret\""));
        Instant now = clock.instant();
        assertThat(read(id))
                .isEqualTo(new Task(
                        id,
                        before.tenant(),
                        before.queue(),
                        before.type(),
                        null,
                        before.options(),
                        before.identity(),
                        1,
                        id,
                        id,
                        before.createdAt(),
                        new Task.Progress(TaskState.COMPLETED, 2, 1, 0, null, false, now, null, "again")));
        assertThat(read(id).dataGone()).isTrue();
        assertThat(store.attempts(id))
                .extracting(Attempt::outcome)
                .containsExactly(Attempt.Outcome.RETRIED, Attempt.Outcome.COMPLETED);
        assertThat(record(KEYED).dataGone()).isTrue();
        assertThat(record(KEYED).state()).isEqualTo(TaskState.COMPLETED);
        assertThat(record(KEYED).finishedAt()).isEqualTo(now);
    }

    @Test
    @DisplayName("Q7: every kind of cancellation deletes the input")
    void aCancelledTaskIsBare() {
        assertBare(createIn(TaskState.CANCELLED, Draft.plain()));
        List<Function<Lease, Settlement>> ends = List.of(
                Settlement.Cancelled::new,
                lease -> new Settlement.Retry(lease, Duration.ZERO, "again"),
                lease -> new Settlement.PutBack(lease, Duration.ZERO),
                lease -> new Settlement.Fail(lease, false, "broken"));
        for (Function<Lease, Settlement> end : ends) {
            TaskId id = create(Draft.plain());
            Lease lease = claimOne();
            apply(new Operation.Cancel(id));
            assertThat(read(id).input()).isNotNull();
            applied(end.apply(lease));
            assertBare(id);
        }
        TaskId vanished = create(Draft.plain());
        claimOne();
        apply(new Operation.Cancel(vanished));
        leasesExpire();
        assertThat(claimIds(ClaimDraft.from(Draft.QUEUE))).isEmpty();
        assertBare(vanished);
        TaskId replaced = create(KEYED);
        TaskId replacing = create(KEYED.replacing());
        assertBare(replaced);
        assertThat(read(replacing).input()).isNotNull();
    }

    private void assertBare(TaskId id) {
        Task task = read(id);
        assertThat(task.state()).isEqualTo(TaskState.CANCELLED);
        assertThat(task.input()).isNull();
        assertThat(task.progress().result()).isNull();
    }

    @Test
    @DisplayName("Q7: dead letters keep their data, so that they can be redriven, and lose it when they complete then")
    void deadLettersKeepTheirData() {
        TaskId failed = createIn(TaskState.FAILED, KEYED);
        TaskId timedOut = createIn(TaskState.TIMED_OUT, Draft.plain().input("{\"n\":2}"));
        assertThat(read(failed).input()).isEqualTo(KEYED.input());
        assertThat(read(timedOut).input()).isEqualTo("{\"n\":2}");
        assertThat(record(KEYED).dataGone()).isFalse();
        applied(new Operation.Redrive(failed, 1));
        assertThat(claim(ClaimDraft.from(Draft.QUEUE)).tasks().getFirst().task().input())
                .isEqualTo(KEYED.input());
        applied(new Settlement.Complete(lease(failed, 2), "1"));
        assertThat(read(failed).dataGone()).isTrue();
        assertThat(record(KEYED).dataGone()).isTrue();
    }

    @Test
    @DisplayName("Q7, M2: a completion that is sent again is applied, another end is stale")
    void repeatedMoves() {
        create(KEYED);
        Lease lease = claimOne();
        Settlement complete = new Settlement.Complete(lease, "1");
        applied(complete);
        changesNothing(() -> {
            applied(complete);
            assertThat(apply(new Settlement.Fail(lease, false, "late"))).isEqualTo(Settled.STALE);
            assertThat(apply(new Settlement.Extend(lease, ClaimDraft.LEASE))).isEqualTo(Settled.STALE);
            assertThat(apply(new Operation.Cancel(lease.taskId()))).isEqualTo(Operated.STALE);
            assertThat(apply(new Operation.Redrive(lease.taskId(), 1))).isEqualTo(Operated.STALE);
        });
    }

    @Test
    @DisplayName("Q7, S5: a submission that is sent again is created, with a key or without")
    void repeatedSubmissions() {
        for (Draft draft : List.of(Draft.plain(), KEYED)) {
            NewTask task = task(draft);
            Created first = (Created) submit(task);
            applied(new Settlement.Complete(claimOne(), "1"));
            changesNothing(() -> assertThat(submit(task))
                    .isEqualTo(new Created(task.id(), 1, TaskState.COMPLETED, first.createdAt())));
        }
        NewTask cancelled = task(Draft.keyed("cancelled"));
        Created first = (Created) submit(cancelled);
        applied(new Operation.Cancel(cancelled.id()));
        changesNothing(() -> assertThat(submit(cancelled))
                .isEqualTo(new Created(cancelled.id(), 1, TaskState.CANCELLED, first.createdAt())));
    }

    @Test
    @DisplayName(
            "Q7: a duplicate is answered that the data was deleted, other input is still a conflict, before a sweep and after")
    void duplicatesOfABareTask() {
        TaskId id = create(KEYED);
        Instant created = clock.instant();
        clock.advance(Duration.ofSeconds(1));
        applied(new Settlement.Complete(claimOne(), "\"secret\""));
        ExistingTask gone = new ExistingTask(
                id, Draft.TYPE, 1, TaskState.COMPLETED, KEYED.hash(), created, clock.instant(), true, null, null);
        for (int round = 0; round < 2; round++) {
            countsOnly(2, KEYED, () -> {
                assertThat(submit(KEYED)).isEqualTo(new Returned(gone, false));
                assertThat(submit(KEYED.input("{\"n\":2}"))).isEqualTo(new Conflicted(gone));
                assertThat(submit(KEYED.input("{\"n\":2}")
                                .policy(ReusePolicy.never().onOtherInput(ReusePolicy.OtherInput.WARN))))
                        .isEqualTo(new Returned(gone, true));
            });
            clock.advance(Duration.ofMinutes(1));
            store.sweep(ALL);
        }
        assertThat(store.find(List.of(id))).isEmpty();
    }

    @Test
    @DisplayName(
            "Q7, W1, W2: a sweep removes the bare task when its retention has passed, and its record stays as a tombstone")
    void aSweepRemovesTheBareTask() {
        NewTask task = task(KEYED);
        submit(task);
        applied(new Settlement.Complete(claimOne(), "1"));
        SweepRequest byQueue =
                new SweepRequest(Duration.ofDays(1), Map.of(Draft.QUEUE, Duration.ZERO), Duration.ofDays(1), 10);
        Created answer = (Created) submit(task);
        assertThat(store.sweep(byQueue)).isEqualTo(new Swept(1, 0, false));
        assertThat(store.find(List.of(task.id()))).isEmpty();
        assertThat(store.attempts(task.id())).isEmpty();
        assertThat(record(KEYED).dataGone()).isTrue();
        assertThat(record(KEYED).state()).isEqualTo(TaskState.COMPLETED);
        assertThat(submit(task)).isEqualTo(answer);
    }

    @Test
    @DisplayName("Q7: a task that was cancelled bare is run again as every other one")
    void aBareTaskIsRerun() {
        TaskId first = createIn(TaskState.CANCELLED, KEYED);
        TaskId second = create(KEYED);
        assertThat(read(second).run()).isEqualTo(2);
        assertThat(read(second).lineage()).isEqualTo(first);
        assertThat(read(second).input()).isEqualTo(KEYED.input());
        assertThat(read(first).dataGone()).isTrue();
    }

    @Test
    @DisplayName("Q7, S10: a task that waited for one whose data was deleted becomes pending")
    void aSuccessorBecomesPending() {
        create(KEYED);
        Lease lease = claimOne();
        TaskId next = create(KEYED.replacing());
        applied(new Settlement.Cancelled(lease));
        assertThat(read(lease.taskId()).dataGone()).isTrue();
        assertThat(claimIds(ClaimDraft.from(Draft.QUEUE))).containsExactly(next);
    }

    @Test
    @DisplayName(
            "Q7: the retention at the end counts: a task that ended before keeps its data, and deleted data is not restored")
    void theRetentionAtTheEndCounts() {
        TaskId gone = createIn(TaskState.COMPLETED, Draft.plain());
        set(Draft.QUEUE, QueueSettings.builder().retention(MILLISECOND));
        TaskId kept = createIn(TaskState.COMPLETED, Draft.plain());
        set(Draft.QUEUE, QueueSettings.builder().retention(Duration.ZERO));
        assertThat(read(gone).dataGone()).isTrue();
        assertThat(read(kept).input()).isNotNull();
        assertThat(read(kept).progress().result()).isEqualTo("\"done\"");
        TaskId other = create(Draft.plain().queue("other"));
        applied(new Operation.Cancel(other));
        assertThat(read(other).input()).isNotNull();
    }

    @Test
    @DisplayName("Q7: a retention of zero that is declared holds too")
    void aDeclaredRetentionHolds() {
        applied(new Operation.ResetQueue(Draft.QUEUE));
        applied(new Operation.DeclareQueue(
                Draft.QUEUE, QueueSettings.builder().retention(Duration.ZERO).build()));
        assertThat(read(createIn(TaskState.COMPLETED, Draft.plain())).dataGone())
                .isTrue();
    }
}
