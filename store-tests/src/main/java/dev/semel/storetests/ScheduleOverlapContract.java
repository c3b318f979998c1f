package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.semel.Semel;
import dev.semel.schedule.Overlap;
import dev.semel.schedule.Schedule;
import dev.semel.schedule.ScheduleState;
import dev.semel.schedule.ScheduleState.Outcome;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.TaskStore;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Schedules whose ticks overlap, from the scheduler to the claim: the real scheduler makes the ticks, and the store keeps tasks apart
 * by the mutex of the schedule.
 */
public abstract class ScheduleOverlapContract extends StoreContract {

    private static final String NAME = "overlapping";
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private Semel semel;

    /** For subclasses. */
    @SuppressWarnings("NullAway.Init") // opened by each test
    protected ScheduleOverlapContract() {}

    /** The store of a test, which is closed after the test and not by the instance. */
    private static final class KeptOpen extends ForwardingTaskStore {

        KeptOpen(TaskStore store) {
            super(store);
        }

        @Override
        public void close() {}
    }

    private void define(Overlap overlap) {
        semel = Semel.on(new KeptOpen(store))
                .schedulerInterval(Duration.ofMillis(10))
                .withoutShutdownHook()
                .build();
        semel.schedules()
                .put(Schedule.every(NAME, INTERVAL)
                        .type(Tasks.TYPE)
                        .queue(Draft.QUEUE)
                        .overlap(overlap)
                        .build());
        semel.startScheduler();
    }

    /** Stops the scheduler, so that it makes no tick while the store is worked off. */
    @AfterEach
    void stop() {
        semel.schedules().remove(NAME, true);
        semel.close();
    }

    /** Lets the next tick come, and returns what became of it. */
    private ScheduleState.Tick tick() {
        Instant due = semel.schedules().get(NAME).next().orElseThrow();
        clock.advance(Duration.between(clock.instant(), due));
        await().atMost(LIMIT)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> !semel.schedules().get(NAME).state().position().isBefore(due));
        ScheduleState.Tick tick = semel.schedules().get(NAME).state().recent().getFirst();
        assertThat(tick.at()).isEqualTo(due);
        return tick;
    }

    private TaskId started() {
        ScheduleState.Tick tick = tick();
        assertThat(tick.outcome()).isEqualTo(Outcome.STARTED);
        return Objects.requireNonNull(tick.task());
    }

    private void skipped() {
        ScheduleState.Tick tick = tick();
        assertThat(tick.outcome()).isEqualTo(Outcome.SKIPPED);
        assertThat(tick.task()).isNull();
    }

    private Lease claimed(TaskId expected) {
        Lease lease = claimOne();
        assertThat(lease.taskId()).isEqualTo(expected);
        return lease;
    }

    private void nothingIsClaimed() {
        assertThat(claimIds(ClaimDraft.from(Draft.QUEUE))).isEmpty();
    }

    private void complete(Lease lease) {
        applied(new Settlement.Complete(lease, null));
    }

    @Test
    @DisplayName("skip: a tick is skipped while the task of an earlier one is open, pending or running")
    void skip() {
        define(Overlap.SKIP);
        TaskId first = started();
        skipped();
        Lease lease = claimed(first);
        skipped();
        complete(lease);
        claimed(started());
    }

    @Test
    @DisplayName("allow: every tick creates a task, and all of them may run at once")
    void allow() {
        define(Overlap.ALLOW);
        TaskId first = started();
        TaskId second = started();
        assertThat(claimIds(ClaimDraft.from(Draft.QUEUE))).containsExactlyInAnyOrder(first, second);
        claimed(started());
    }

    @Test
    @DisplayName("wait: one task waits until the earlier one has ended, and further ticks are skipped")
    void oneWaits() {
        define(Overlap.WAIT);
        Lease running = claimed(started());
        TaskId second = started();
        skipped();
        nothingIsClaimed();
        assertThat(state(second)).isEqualTo(TaskState.WAITING);
        complete(running);
        Lease next = claimed(second);
        TaskId fourth = started();
        nothingIsClaimed();
        complete(next);
        complete(claimed(fourth));
        claimed(started());
    }

    @Test
    @DisplayName("wait: a task that retries keeps the next one waiting, and one that dies does not")
    void waitsForRetries() {
        define(Overlap.WAIT);
        TaskId first = started();
        applied(new Settlement.Retry(claimed(first), Duration.ZERO, "again"));
        TaskId second = started();
        Lease retry = claimed(first);
        nothingIsClaimed();
        applied(new Settlement.Fail(retry, false, "broken"));
        claimed(second);
    }

    @Test
    @DisplayName(
            "wait: the next one runs when the worker of the earlier one vanished and the attempt after that has ended")
    void waitsForVanished() {
        define(Overlap.WAIT);
        TaskId first = started();
        Lease vanished = claimed(first);
        TaskId second = started();
        leasesExpireWithoutTicks();
        Lease again = claimed(first);
        assertThat(again.attempt()).isGreaterThan(vanished.attempt());
        complete(again);
        assertThat(claimIds(ClaimDraft.from(Draft.QUEUE))).containsExactly(second);
    }

    @Test
    @DisplayName("replace: a task that has not started is cancelled at once, and the new one can start")
    void replacesPending() {
        define(Overlap.REPLACE);
        TaskId first = started();
        TaskId second = started();
        assertThat(state(first)).isEqualTo(TaskState.CANCELLED);
        claimed(second);
    }

    @Test
    @DisplayName("replace: a running task is asked to cancel, and the newest tick waits until it has really ended")
    void replacesRunning() {
        define(Overlap.REPLACE);
        TaskId first = started();
        Lease running = claimed(first);
        TaskId second = started();
        assertThat(read(first).progress().cancelRequested()).isTrue();
        nothingIsClaimed();
        TaskId third = started();
        assertThat(state(second)).isEqualTo(TaskState.CANCELLED);
        assertThat(state(first)).isEqualTo(TaskState.RUNNING);
        nothingIsClaimed();
        applied(new Settlement.Cancelled(running));
        Lease newest = claimed(third);
        assertThat(state(first)).isEqualTo(TaskState.CANCELLED);
        complete(newest);
    }

    @Test
    @DisplayName("replace: a task whose worker vanished is ended as cancelled, and the new one runs")
    void replacesVanished() {
        define(Overlap.REPLACE);
        TaskId first = started();
        Lease vanished = claimed(first);
        TaskId second = started();
        nothingIsClaimed();
        leasesExpireWithoutTicks();
        // The claim that ends the vanished attempt frees the mutex; it takes the new task itself, or leaves it to the
        // next.
        List<TaskId> taken = new ArrayList<>(claimIds(ClaimDraft.from(Draft.QUEUE)));
        taken.addAll(claimIds(ClaimDraft.from(Draft.QUEUE)));
        assertThat(taken).containsExactly(second);
        assertThat(state(first)).isEqualTo(TaskState.CANCELLED);
        assertThat(apply(new Settlement.Complete(vanished, null))).isNotEqualTo(Settled.APPLIED);
    }

    private void leasesExpireWithoutTicks() {
        semel.schedules().pause(NAME, "the clock moves by more than an interval");
        leasesExpire();
    }
}
