package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Applied;
import dev.semel.store.Attempt;
import dev.semel.store.NewTask;
import dev.semel.store.QueueSettings;
import dev.semel.store.Submitted.Conflicted;
import dev.semel.store.Submitted.Created;
import dev.semel.store.Submitted.ExistingTask;
import dev.semel.store.Submitted.Returned;
import dev.semel.store.SweepRequest;
import dev.semel.store.Swept;
import dev.semel.store.Task;
import dev.semel.store.Transition;
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
        applied(new Transition.Retry(claimOne(), Duration.ZERO, "again"));
        assertThat(read(id).input()).isNotNull();
        Task before = read(id);
        applied(new Transition.Complete(claimOne(), "\"secret\""));
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
    @DisplayName("Q7: in every way to be cancelled the input goes")
    void aCancelledTaskIsBare() {
        assertBare(createIn(TaskState.CANCELLED, Draft.plain()));
        List<Function<Lease, Transition>> ends = List.of(
                Transition.Cancelled::new,
                lease -> new Transition.Retry(lease, Duration.ZERO, "again"),
                lease -> new Transition.PutBack(lease, Duration.ZERO),
                lease -> new Transition.Fail(lease, false, "broken"));
        for (Function<Lease, Transition> end : ends) {
            TaskId id = create(Draft.plain());
            Lease lease = claimOne();
            apply(new Transition.Cancel(id));
            assertThat(read(id).input()).isNotNull();
            applied(end.apply(lease));
            assertBare(id);
        }
        TaskId vanished = create(Draft.plain());
        claimOne();
        apply(new Transition.Cancel(vanished));
        leasesRunOut();
        assertThat(claimIds(Wish.from(Draft.QUEUE))).isEmpty();
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
        applied(new Transition.Redrive(failed, 1));
        assertThat(claim(Wish.from(Draft.QUEUE)).tasks().getFirst().task().input())
                .isEqualTo(KEYED.input());
        applied(new Transition.Complete(new Lease(failed, 2), "1"));
        assertThat(read(failed).dataGone()).isTrue();
        assertThat(record(KEYED).dataGone()).isTrue();
    }

    @Test
    @DisplayName("Q7, M2: a completion that is sent again is applied, another end is stale")
    void repeatedMoves() {
        create(KEYED);
        Lease lease = claimOne();
        Transition complete = new Transition.Complete(lease, "1");
        applied(complete);
        changesNothing(() -> {
            applied(complete);
            assertThat(apply(new Transition.Fail(lease, false, "late"))).isEqualTo(Applied.STALE);
            assertThat(apply(new Transition.Extend(lease, Wish.LEASE))).isEqualTo(Applied.STALE);
            assertThat(apply(new Transition.Cancel(lease.taskId()))).isEqualTo(Applied.STALE);
            assertThat(apply(new Transition.Redrive(lease.taskId(), 1))).isEqualTo(Applied.STALE);
        });
    }

    @Test
    @DisplayName("Q7, S5: a submission that is sent again is created, with a key or without")
    void repeatedSubmissions() {
        for (Draft draft : List.of(Draft.plain(), KEYED)) {
            NewTask task = task(draft);
            Created first = (Created) submit(task);
            applied(new Transition.Complete(claimOne(), "1"));
            changesNothing(() -> assertThat(submit(task))
                    .isEqualTo(new Created(task.id(), 1, TaskState.COMPLETED, first.createdAt())));
        }
        NewTask cancelled = task(Draft.keyed("cancelled"));
        Created first = (Created) submit(cancelled);
        applied(new Transition.Cancel(cancelled.id()));
        changesNothing(() -> assertThat(submit(cancelled))
                .isEqualTo(new Created(cancelled.id(), 1, TaskState.CANCELLED, first.createdAt())));
    }

    @Test
    @DisplayName(
            "Q7: a duplicate is answered that the data has gone, other input is still a conflict, before a sweep and after")
    void duplicatesOfABareTask() {
        TaskId id = create(KEYED);
        Instant created = clock.instant();
        clock.advance(Duration.ofSeconds(1));
        applied(new Transition.Complete(claimOne(), "\"secret\""));
        ExistingTask gone = new ExistingTask(
                id, Draft.TYPE, 1, TaskState.COMPLETED, KEYED.hash(), created, clock.instant(), true, null, null);
        for (int round = 0; round < 2; round++) {
            changesNothing(() -> {
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
        applied(new Transition.Complete(claimOne(), "1"));
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
    @DisplayName("Q7, S10: a task that waited for one that lost its data goes on")
    void aSuccessorGoesOn() {
        create(KEYED);
        Lease lease = claimOne();
        TaskId next = create(KEYED.replacing());
        applied(new Transition.Cancelled(lease));
        assertThat(read(lease.taskId()).dataGone()).isTrue();
        assertThat(claimIds(Wish.from(Draft.QUEUE))).containsExactly(next);
    }

    @Test
    @DisplayName(
            "Q7: the retention at the end counts: what ended before keeps its data, and what is gone does not come back")
    void theRetentionAtTheEndCounts() {
        TaskId gone = createIn(TaskState.COMPLETED, Draft.plain());
        set(Draft.QUEUE, QueueSettings.builder().retention(MILLISECOND));
        TaskId kept = createIn(TaskState.COMPLETED, Draft.plain());
        set(Draft.QUEUE, QueueSettings.builder().retention(Duration.ZERO));
        assertThat(read(gone).dataGone()).isTrue();
        assertThat(read(kept).input()).isNotNull();
        assertThat(read(kept).progress().result()).isEqualTo("\"done\"");
        TaskId other = create(Draft.plain().queue("other"));
        applied(new Transition.Cancel(other));
        assertThat(read(other).input()).isNotNull();
    }

    @Test
    @DisplayName("Q7: a retention of zero that is declared holds too")
    void aDeclaredRetentionHolds() {
        applied(new Transition.ResetQueue(Draft.QUEUE));
        applied(new Transition.DeclareQueue(
                Draft.QUEUE, QueueSettings.builder().retention(Duration.ZERO).build()));
        assertThat(read(createIn(TaskState.COMPLETED, Draft.plain())).dataGone())
                .isTrue();
    }
}
