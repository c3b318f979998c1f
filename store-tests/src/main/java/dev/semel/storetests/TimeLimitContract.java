package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.DeadLetter;
import dev.semel.store.InboxEntry;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.QueueDepth;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.store.SweepRequest;
import dev.semel.store.Swept;
import dev.semel.store.Task;
import dev.semel.store.TaskOptions;
import dev.semel.store.TaskQuery;
import dev.semel.store.TimeLimits;
import dev.semel.store.WorkflowOptions;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The laws of time limits: D1 to D6. */
public abstract class TimeLimitContract extends WorkflowStoreContract {

    private static final Duration TOTAL = Duration.ofMinutes(10);
    private static final Duration START_BY = Duration.ofMinutes(2);
    private static final Draft PLAIN = Draft.plain();
    private static final String ERROR = "broken";

    /** For subclasses. */
    protected TimeLimitContract() {}

    private static Draft limited(Draft draft, @Nullable Duration total, @Nullable Duration startBy) {
        return draft.options(draft.options().withLimits(TimeLimits.of(total, startBy)));
    }

    private void sweep() {
        assertThat(store.sweep(SweepRequest.ofVanished())).isEqualTo(Swept.NOTHING);
    }

    /** Lets limits pass; a claim takes nothing from then on, and a sweep ends what has passed. */
    private void pass(Duration time) {
        clock.advance(time);
        assertThat(claim(ClaimDraft.from(Draft.QUEUE)).tasks()).isEmpty();
        sweep();
    }

    private void assertTimedOut(TaskId id, int attempt, String error) {
        Task.Progress progress = read(id).progress();
        assertThat(progress.state()).isEqualTo(TaskState.TIMED_OUT);
        assertThat(progress.attempt()).isEqualTo(attempt);
        assertThat(progress.lastError()).isEqualTo(error);
        assertThat(progress.finishedAt()).isEqualTo(clock.instant());
    }

    @Test
    @DisplayName(
            "D1: a task of which no attempt has begun by its start-by is not claimed any more and ends as timed out")
    void notStarted() {
        TaskId id = create(limited(PLAIN, TOTAL, START_BY));
        Instant startBy = clock.instant().plus(START_BY);
        clock.advance(START_BY.minusMillis(1));
        sweep();
        assertThat(state(id)).isEqualTo(TaskState.PENDING);
        pass(Duration.ofMillis(1));
        assertTimedOut(id, 1, "Not started by " + startBy + ".");
        assertThat(read(id).progress().failures()).isZero();
        assertThat(read(id).progress().cancelRequested()).isFalse();
        assertThat(store.attempts(id)).isEmpty();
        assertThat(store.list(TaskQuery.builder().states(TaskState.TIMED_OUT).build())
                        .tasks())
                .extracting(Task::id)
                .containsExactly(id);
    }

    @Test
    @DisplayName("D1: the last moment before the start-by is soon enough")
    void startedInTime() {
        TaskId id = create(limited(PLAIN, null, START_BY));
        clock.advance(START_BY.minusMillis(1));
        Lease lease = claimOne();
        clock.advance(Duration.ofMillis(1));
        sweep();
        assertThat(state(id)).isEqualTo(TaskState.RUNNING);
        assertThat(read(id).progress().cancelRequested()).isFalse();
        applied(new Settlement.Retry(lease, Duration.ofDays(1), ERROR));
        clock.advance(Duration.ofDays(1));
        sweep();
        applied(new Settlement.Complete(claimOne(), "1"));
        assertThat(state(id)).isEqualTo(TaskState.COMPLETED);
    }

    @Test
    @DisplayName("D1: whatever keeps it from starting, it is ended: a pause, a delay, a mutex, a replaced task")
    void keptFromStarting() {
        set("paused", QueueSettings.builder().paused(true));
        TaskId paused = create(limited(PLAIN.queue("paused"), null, START_BY));
        TaskId delayed = create(limited(
                PLAIN.queue("delayed")
                        .start(new NewTask.Start.At(clock.instant().plusSeconds(999))),
                null,
                START_BY));
        create(PLAIN.queue("mutex").mutex("m"));
        Lease holder = claim(ClaimDraft.from("mutex")).tasks().getFirst().lease();
        TaskId blocked = create(limited(PLAIN.queue("mutex").mutex("m"), null, START_BY));
        assertThat(claim(ClaimDraft.from("mutex")).tasks()).isEmpty();
        Draft keyed = Draft.keyed("k").queue("replaced");
        create(keyed);
        Lease replaced = claim(ClaimDraft.from("replaced")).tasks().getFirst().lease();
        TaskId successor = create(limited(keyed.replacing(), null, START_BY));
        assertThat(state(successor)).isEqualTo(TaskState.WAITING);
        Instant startBy = clock.instant().plus(START_BY);
        applied(new Settlement.Extend(holder, Duration.ofDays(1)));
        store.settle(List.of(new Settlement.Extend(replaced, Duration.ofDays(1))));
        clock.advance(START_BY);
        sweep();
        for (TaskId id : List.of(paused, delayed, blocked, successor)) {
            assertTimedOut(id, 1, "Not started by " + startBy + ".");
        }
        applied(new Settlement.Complete(holder, "1"));
        applied(new Settlement.Cancelled(replaced));
        assertThat(claim(ClaimDraft.from("mutex", "replaced", "delayed")).tasks())
                .isEmpty();
        assertThat(create(keyed)).isNotEqualTo(successor);
    }

    @Test
    @DisplayName("D2: a task whose time limit has passed while it does not run ends as timed out")
    void passedBetweenAttempts() {
        TaskId unstarted = create(limited(PLAIN, TOTAL, null));
        TaskId waiting = create(limited(PLAIN, TOTAL, START_BY));
        Instant deadline = clock.instant().plus(TOTAL);
        claim(ClaimDraft.from(Draft.QUEUE)).tasks().forEach(claimed -> {
            if (claimed.task().id().equals(waiting)) {
                applied(new Settlement.Retry(claimed.lease(), Duration.ofHours(1), ERROR));
            } else {
                applied(new Settlement.PutBack(claimed.lease(), Duration.ofMinutes(9)));
            }
        });
        clock.advance(TOTAL.minusMillis(1));
        sweep();
        assertThat(state(waiting)).isEqualTo(TaskState.PENDING);
        pass(Duration.ofMillis(1));
        assertTimedOut(unstarted, 2, "The time limit passed at " + deadline + ".");
        assertTimedOut(waiting, 2, "The time limit passed at " + deadline + ".");
        assertThat(read(waiting).progress().failures()).isEqualTo(1);
        assertThat(store.attempts(waiting)).hasSize(1);
    }

    @Test
    @DisplayName("D2: a task that never started and whose time limit has passed says both")
    void passedUnstarted() {
        TaskId id = create(limited(PLAIN, TOTAL, null));
        Instant deadline = clock.instant().plus(TOTAL);
        pass(TOTAL);
        assertTimedOut(id, 1, "The time limit passed at " + deadline + ", and the task had not started.");
    }

    @Test
    @DisplayName(
            "D3: a running task whose time limit has passed is asked to cancel, and is timed out where it would be cancelled")
    void passedWhileRunning() {
        List<Function<Lease, Settlement>> ends = List.of(
                Settlement.Cancelled::new,
                lease -> new Settlement.Fail(lease, false, ERROR),
                lease -> new Settlement.Retry(lease, Duration.ZERO, ERROR),
                lease -> new Settlement.PutBack(lease, Duration.ZERO));
        for (Function<Lease, Settlement> end : ends) {
            TaskId id = create(limited(PLAIN, TOTAL, START_BY));
            Instant deadline = clock.instant().plus(TOTAL);
            Lease lease = claimOne();
            applied(new Settlement.Extend(lease, TOTAL.plusMinutes(1)));
            pass(TOTAL);
            assertThat(state(id)).isEqualTo(TaskState.RUNNING);
            assertThat(apply(new Settlement.Extend(lease, ClaimDraft.LEASE))).isEqualTo(Settled.CANCEL_REQUESTED);
            Settlement settlement = end.apply(lease);
            applied(settlement);
            String own =
                    settlement instanceof Settlement.Fail || settlement instanceof Settlement.Retry ? " " + ERROR : "";
            assertTimedOut(id, 1, "The time limit passed at " + deadline + "." + own);
            assertThat(store.attempts(id)).hasSize(1);
            changesNothing(() -> applied(settlement));
            applied(new Operation.Redrive(id, 1));
            changesNothing(() -> applied(new Operation.Redrive(id, 1)));
            applied(new Settlement.Complete(claimOne(), "1"));
        }
    }

    @Test
    @DisplayName("D3: a running task that completes although its time limit has passed is completed")
    void completedTooLate() {
        TaskId id = create(limited(PLAIN, TOTAL, null));
        Lease lease = claimOne();
        applied(new Settlement.Extend(lease, TOTAL.plusMinutes(1)));
        pass(TOTAL);
        applied(new Settlement.Complete(lease, "1"));
        assertThat(state(id)).isEqualTo(TaskState.COMPLETED);
        assertThat(read(id).progress().lastError()).isNull();
    }

    @Test
    @DisplayName("D3: a task whose worker has vanished is timed out when its lease has expired too")
    void vanished() {
        TaskId id = create(limited(PLAIN, TOTAL, null));
        Instant deadline = clock.instant().plus(TOTAL);
        applied(new Settlement.Extend(claimOne(), TOTAL.plusMinutes(1)));
        pass(TOTAL);
        pass(Duration.ofMinutes(1));
        assertTimedOut(id, 1, "The time limit passed at " + deadline + ".");
        assertThat(read(id).progress().vanished()).isEqualTo(1);
    }

    @Test
    @DisplayName("D3: a task that was asked to cancel before its time limit passed is cancelled")
    void cancelledBefore() {
        TaskId id = create(limited(PLAIN, TOTAL, null));
        Lease lease = claimOne();
        applied(new Settlement.Extend(lease, TOTAL.plusMinutes(1)));
        assertThat(apply(new Operation.Cancel(id))).isEqualTo(Operated.CANCEL_REQUESTED);
        pass(TOTAL);
        applied(new Settlement.Cancelled(lease));
        assertThat(state(id)).isEqualTo(TaskState.CANCELLED);
    }

    @Test
    @DisplayName("D3: a task that is asked to cancel after its time limit has passed is timed out")
    void cancelledAfter() {
        TaskId id = create(limited(PLAIN, TOTAL, null));
        Lease lease = claimOne();
        applied(new Settlement.Extend(lease, TOTAL.plusMinutes(1)));
        pass(TOTAL);
        assertThat(apply(new Operation.Cancel(id))).isEqualTo(Operated.CANCEL_REQUESTED);
        applied(new Settlement.Cancelled(lease));
        assertThat(state(id)).isEqualTo(TaskState.TIMED_OUT);
    }

    @Test
    @DisplayName("D4: a redrive gives the same limits again, counted from then on")
    void redriven() {
        TaskId id = create(limited(Draft.keyed("k"), TOTAL, START_BY));
        pass(START_BY);
        assertThat(apply(new Operation.Redrive(id, 0))).isEqualTo(Operated.STALE);
        clock.advance(TOTAL);
        applied(new Operation.Redrive(id, 1));
        Instant redriven = clock.instant();
        TimeLimits fresh = Objects.requireNonNull(read(id).options().limits());
        assertThat(fresh.startBy(read(id).createdAt())).isEqualTo(redriven.plus(START_BY));
        assertThat(fresh.deadline(read(id).createdAt())).isEqualTo(redriven.plus(TOTAL));
        clock.advance(START_BY.minusMillis(1));
        sweep();
        assertThat(state(id)).isEqualTo(TaskState.PENDING);
        Lease lease = claimOne();
        assertThat(lease.attempt()).isEqualTo(2);
        applied(new Settlement.Extend(lease, TOTAL));
        pass(TOTAL.minus(START_BY));
        assertThat(read(id).progress().cancelRequested()).isFalse();
        pass(Duration.ofMillis(1));
        applied(new Settlement.Cancelled(lease));
        assertTimedOut(id, 2, "The time limit passed at " + redriven.plus(TOTAL) + ".");
        applied(new Operation.Redrive(id, 2));
        assertThat(read(id).progress().cancelRequested()).isFalse();
        applied(new Settlement.Complete(claimOne(), "1"));
    }

    @Test
    @DisplayName("D5: an end between attempts takes the next number, so a redrive names it, and none is done twice")
    void namedByItsNumber() {
        TaskId id = create(limited(PLAIN, null, START_BY));
        pass(START_BY);
        applied(new Operation.Redrive(id, 1));
        changesNothing(() -> applied(new Operation.Redrive(id, 1)));
        pass(START_BY);
        assertThat(read(id).progress().attempt()).isEqualTo(2);
        changesNothing(() -> applied(new Operation.Redrive(id, 1)));
        assertThat(state(id)).isEqualTo(TaskState.TIMED_OUT);
        applied(new Operation.Redrive(id, 2));
        assertThat(store.attempts(id)).isEmpty();
        applied(new Settlement.Complete(claimOne(), "1"));
        assertThat(store.attempts(id)).hasSize(1);
        assertThat(read(id).progress().attempt()).isEqualTo(3);
    }

    @Test
    @DisplayName(
            "D5, Q6: each end by a time limit makes a dead letter, between attempts, after one and after a vanished one")
    void deadLetters() {
        set(Draft.QUEUE, QueueSettings.builder().deadLetterQueue("dead"));
        TaskId id = create(limited(PLAIN, TOTAL, START_BY));
        pass(START_BY);
        applied(new Operation.Redrive(id, 1));
        pass(START_BY);
        applied(new Operation.Redrive(id, 2));
        applied(new Settlement.Extend(claimOne(), TOTAL));
        pass(TOTAL);
        sweep();
        assertThat(state(id)).isEqualTo(TaskState.TIMED_OUT);
        assertThat(claim(ClaimDraft.from("dead")).tasks())
                .hasSize(3)
                .allMatch(claimed -> claimed.task().type().equals(DeadLetter.TYPE));
    }

    @Test
    @DisplayName(
            "D6: a submission that is answered with an existing task leaves its limits as they are; a rerun has its own")
    void duplicates() {
        Draft draft = limited(Draft.keyed("k"), null, START_BY);
        TaskId id = create(draft);
        clock.advance(Duration.ofMinutes(1));
        assertThat(submit(limited(Draft.keyed("k"), null, TOTAL))).isInstanceOf(Submitted.Returned.class);
        assertThat(submit(Draft.keyed("k"))).isInstanceOf(Submitted.Returned.class);
        assertThat(submit(draft.as(id))).isInstanceOf(Submitted.Created.class);
        pass(Duration.ofMinutes(1));
        assertThat(state(id)).isEqualTo(TaskState.TIMED_OUT);
        changesNothing(() -> submit(draft.as(id)));
        TaskId rerun = create(draft);
        assertThat(read(rerun).run()).isEqualTo(2);
        clock.advance(Duration.ofMinutes(1));
        sweep();
        assertThat(state(rerun)).isEqualTo(TaskState.PENDING);
        pass(Duration.ofMinutes(1));
        assertThat(state(rerun)).isEqualTo(TaskState.TIMED_OUT);
    }

    @Test
    @DisplayName("D6: a repeated submission without a key does not renew the limits of its task")
    void repeated() {
        Draft draft = limited(PLAIN, null, START_BY);
        TaskId id = create(draft);
        clock.advance(Duration.ofMinutes(1));
        TaskId other = ids.next();
        store.submit(List.of(draft.as(id), draft.as(other)));
        clock.advance(Duration.ofMinutes(1));
        sweep();
        assertThat(state(id)).isEqualTo(TaskState.TIMED_OUT);
        assertThat(state(other)).isEqualTo(TaskState.PENDING);
        pass(Duration.ofMinutes(1));
        assertThat(state(other)).isEqualTo(TaskState.TIMED_OUT);
    }

    @Test
    @DisplayName("D1, F4: the end of a step by a time limit is an entry in the inbox of its workflow and wakes it")
    void stepOfAWorkflow() {
        Lease lease = running();
        TaskId step = start(lease, limited(STEP.queue("nobody"), null, START_BY));
        applied(await(lease, 0, 5));
        noFlowIsDue();
        clock.advance(START_BY);
        sweep();
        assertThat(state(step)).isEqualTo(TaskState.TIMED_OUT);
        InboxEntry entry = inbox(lease.taskId()).getFirst();
        assertThat(entry.step()).isEqualTo(step);
        assertThat(entry.state()).isEqualTo(TaskState.TIMED_OUT);
        assertThat(entry.error()).startsWith("Not started by ");
        applied(new Settlement.Complete(claimFlow(), "1"));
    }

    @Test
    @DisplayName("D1, F18: a workflow can have a start-by, and a restart leaves it without one")
    void workflow() {
        Draft draft = WORKFLOW.options(new TaskOptions(0, null, null, null, null, new WorkflowOptions(TOTAL))
                .withLimits(TimeLimits.of(null, START_BY)));
        TaskId id = create(draft);
        clock.advance(START_BY);
        sweep();
        assertTimedOut(id, 1, "Not started by " + clock.instant() + ".");
        applied(new Operation.Restart(id, 1, 0));
        assertThat(read(id).options()).isEqualTo(draft.options().withLimits(null));
        clock.advance(TOTAL);
        sweep();
        Lease lease = claimFlow();
        assertThat(lease.attempt()).isEqualTo(2);
        applied(new Settlement.Complete(lease, "1"));
    }

    @Test
    @DisplayName("D1, S7: limits of many tasks of a batch are kept, and all of them are ended")
    void many() {
        List<NewTask> batch = tasks(1_300, limited(PLAIN, null, START_BY));
        store.submit(batch);
        TaskId unlimited = create(PLAIN);
        clock.advance(START_BY);
        assertThat(claimIds(ClaimDraft.from(Draft.QUEUE).limit(1_000))).isSubsetOf(unlimited);
        sweep();
        assertThat(store.depths().values().stream().mapToLong(QueueDepth::dead).sum())
                .isEqualTo(1_300);
    }
}
