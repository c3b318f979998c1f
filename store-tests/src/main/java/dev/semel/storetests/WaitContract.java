package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Attempt;
import dev.semel.store.Claims;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.InboxEntry;
import dev.semel.store.NewLine;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.task.Lease;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The laws of waiting: F5 to F8, F24. */
public abstract class WaitContract extends WorkflowStoreContract {

    /** For subclasses. */
    protected WaitContract() {}

    @Test
    @DisplayName("F5: entries are numbered in the order of acceptance")
    void entriesAreNumbered() {
        Lease lease = running();
        TaskId first = start(lease, STEP.queue("a"));
        signal(lease.taskId(), "s", "x", "1");
        applied(new Settlement.Complete(
                claim(ClaimDraft.from("a")).tasks().getFirst().lease(), null));
        signal(lease.taskId(), "t", "y", "2");
        assertThat(inbox(lease.taskId())).extracting(InboxEntry::number).containsExactly(1, 2, 3);
        assertThat(inbox(lease.taskId())).extracting(InboxEntry::name).containsExactly("x", Draft.TYPE, "y");
        assertThat(inbox(lease.taskId()).get(1).step()).isEqualTo(first);
    }

    @Test
    @DisplayName("F6: a workflow that waits has no lease, slot or mutex, and no claim finds it")
    void waitingCostsNothing() {
        set(FLOWS, QueueSettings.builder().concurrency(1));
        TaskId first = create(WORKFLOW.mutex("m"));
        Lease lease = claimFlow();
        applied(await(lease, 0, 1));
        assertThat(state(first)).isEqualTo(TaskState.WAITING);
        create(WORKFLOW.mutex("m"));
        Lease second = claimFlow();
        leasesExpire();
        applied(new Settlement.Extend(second, ClaimDraft.LEASE));
        noFlowIsDue();
        applied(new Settlement.Complete(second, null));
        noFlowIsDue();
        assertThat(state(first)).isEqualTo(TaskState.WAITING);
    }

    @Test
    @DisplayName("F6: an entry before the wait is not missed")
    void anEntryBeforeTheWait() {
        Lease lease = running();
        signal(lease.taskId());
        applied(await(lease, 0, 1));
        assertThat(state(lease.taskId())).isEqualTo(TaskState.PENDING);
        Lease next = claimFlow();
        applied(await(next, 1, 1));
        assertThat(state(lease.taskId())).as("it has seen that entry").isEqualTo(TaskState.WAITING);
        signal(lease.taskId());
        assertThat(state(lease.taskId())).isEqualTo(TaskState.PENDING);
        assertThat(read(lease.taskId()).progress().dueAt()).isEqualTo(clock.instant());
    }

    @Test
    @DisplayName("F6: a workflow that waits until a time is due then, and not before")
    void aTimer() {
        Lease lease = running();
        Instant time = clock.instant().plus(Duration.ofDays(30));
        applied(new Settlement.Wait(lease, 0, 1, time, null));
        assertThat(read(lease.taskId()).progress().dueAt()).isEqualTo(time);
        clock.advance(Duration.ofDays(30).minusMillis(1));
        noFlowIsDue();
        clock.advance(Duration.ofMillis(1));
        Lease next = claimFlow();
        assertThat(next.attempt()).isEqualTo(2);
        applied(new Settlement.Wait(next, 0, 1, clock.instant().minusSeconds(5), null));
        assertThat(read(lease.taskId()).progress().dueAt()).isEqualTo(clock.instant());
    }

    @Test
    @DisplayName("F6, F7: a workflow that waits until a time can be woken before")
    void aTimerIsOvertaken() {
        Lease lease = running();
        applied(new Settlement.Wait(lease, 0, 1, clock.instant().plus(Duration.ofDays(30)), null));
        signal(lease.taskId());
        Lease next = claimFlow();
        applied(new Settlement.Retry(next, Duration.ofHours(1), "broken"));
        signal(lease.taskId());
        assertThat(read(lease.taskId()).progress().dueAt())
                .as("a retry is not hurried")
                .isEqualTo(clock.instant().plus(Duration.ofHours(1)));
    }

    @Test
    @DisplayName("F24: an advance and the wait that follows it are sent together")
    void anAdvanceAndItsWait() {
        Lease lease = running();
        List<Settlement> both = List.of(advance(lease, 1, step(STEP)), await(lease, 0, 1));
        assertThat(store.settle(both)).containsExactly(Settled.APPLIED, Settled.APPLIED);
        assertThat(state(lease.taskId())).isEqualTo(TaskState.WAITING);
        assertThat(store.settle(both)).as("sent again").containsExactly(Settled.STALE, Settled.APPLIED);
        assertThat(history(lease.taskId()).lines()).hasSize(1);
        applied(new Settlement.Complete(
                claim(ClaimDraft.from(Draft.QUEUE)).tasks().getFirst().lease(), null));
        Lease next = claimFlow();
        assertThat(next.attempt()).isEqualTo(2);
        assertThat(store.settle(List.of(advance(lease, 2, value("v")), await(lease, 1, 1))))
                .as("of an attempt that has ended")
                .containsExactly(Settled.STALE, Settled.APPLIED);
        Lease stranger = new Lease(lease.taskId(), 7, lease.claim());
        assertThat(store.settle(List.of(advance(stranger, 2, value("v")), await(stranger, 1, 1))))
                .containsExactly(Settled.STALE, Settled.STALE);
        assertThat(history(lease.taskId()).lines()).hasSize(1);
        assertThat(state(lease.taskId())).isEqualTo(TaskState.RUNNING);
    }

    @Test
    @DisplayName(
            "F24: advances and waits of many workflows, with ends of steps between them, are each answered for themselves")
    void manyAdvancesAndTheirWaits() {
        Lease ended = running();
        applied(await(ended, 0, 1));
        Lease waited = running();
        TaskId step = start(waited, STEP);
        applied(await(waited, 0, 1));
        Lease running = claim(ClaimDraft.from(Draft.QUEUE)).tasks().getFirst().lease();
        assertThat(running.taskId()).isEqualTo(step);
        Lease first = running();
        Lease second = running();
        NewLine.Step own = step(STEP);
        assertThat(store.settle(List.of(
                        advance(first, 1, own, value("v")),
                        advance(ended, 1, step(STEP)),
                        new Settlement.Complete(running, "1"),
                        await(first, 0, 1),
                        await(ended, 0, 1),
                        advance(second, 2, value("a gap")),
                        await(second, 0, 1))))
                .containsExactly(
                        Settled.APPLIED,
                        Settled.STALE,
                        Settled.APPLIED,
                        Settled.APPLIED,
                        Settled.APPLIED,
                        Settled.STALE,
                        Settled.APPLIED);
        assertThat(state(first.taskId())).isEqualTo(TaskState.WAITING);
        assertThat(state(second.taskId())).isEqualTo(TaskState.WAITING);
        assertThat(history(first.taskId()).lines()).hasSize(2);
        assertThat(history(ended.taskId()).lines()).isEmpty();
        assertThat(inbox(waited.taskId())).extracting(InboxEntry::step).containsExactly(step);
        complete(own.task().id());
        assertThat(inbox(first.taskId()))
                .extracting(InboxEntry::step)
                .containsExactly(own.task().id());
        assertThat(state(first.taskId())).isEqualTo(TaskState.PENDING);
    }

    @Test
    @DisplayName("F24: a wait that follows a rejected advance is not carried out")
    void aRejectedAdvanceAndItsWait() {
        Lease lease = running();
        List<NewLine> tooMany = Collections.nCopies(Limits.HISTORY_LINES + 1, value("v"));
        assertThat(store.settle(List.of(new Settlement.Advance(lease, 1, tooMany), await(lease, 0, 1))))
                .containsExactly(Settled.FULL, Settled.FULL);
        assertThat(state(lease.taskId())).isEqualTo(TaskState.RUNNING);
        applied(await(lease, 0, 1));
        assertThat(state(lease.taskId())).isEqualTo(TaskState.WAITING);
    }

    @Test
    @DisplayName("F7: a wait for several steps is woken by the last of them")
    void allOfThem() {
        Lease lease = running();
        for (int i = 0; i < 3; i++) {
            start(lease, STEP);
        }
        applied(await(lease, 0, 3));
        List<Claimed> claimed = claim(ClaimDraft.from(Draft.QUEUE)).tasks();
        applied(new Settlement.Complete(claimed.get(0).lease(), null));
        applied(new Settlement.Complete(claimed.get(1).lease(), null));
        assertThat(state(lease.taskId())).isEqualTo(TaskState.WAITING);
        noFlowIsDue();
        applied(new Settlement.Complete(claimed.get(2).lease(), null));
        assertThat(claimFlow().attempt()).isEqualTo(2);
    }

    @Test
    @DisplayName("F7: a failed step and a signal wake at once, however many are awaited")
    void urgentEntries() {
        for (boolean failed : List.of(true, false)) {
            Lease lease = running();
            TaskId one = start(lease, STEP.queue("u"));
            start(lease, STEP.queue("u"));
            applied(await(lease, 0, 2));
            if (failed) {
                for (Claimed claimed : claim(ClaimDraft.from("u")).tasks()) {
                    if (claimed.task().id().equals(one)) {
                        applied(new Settlement.Fail(claimed.lease(), false, "broken"));
                    }
                }
            } else {
                signal(lease.taskId());
            }
            Lease next = claimFlow();
            applied(new Settlement.Wait(next, 0, 2, null, null));
            assertThat(state(lease.taskId()))
                    .as("it has not seen the urgent one")
                    .isEqualTo(TaskState.PENDING);
            applied(new Settlement.Complete(claimFlow(), null));
            leasesExpire();
            claim(ClaimDraft.from("u"))
                    .tasks()
                    .forEach(claimed -> applied(new Settlement.Complete(claimed.lease(), null)));
        }
    }

    @Test
    @DisplayName(
            "F7, Q3: a workflow that continues after a wait uses nothing of a rate limit, and goes before tasks that the limit holds back")
    void aWakeIsNoStart() {
        Lease signalled = running();
        Lease slept = running();
        applied(await(signalled, 0, 1));
        applied(new Settlement.Wait(slept, 0, 1, clock.instant().plusSeconds(60), null));
        set(FLOWS, QueueSettings.builder().rateLimit("1/hour"));
        Lease token = running();
        create(WORKFLOW);
        noFlowIsDue();
        signal(signalled.taskId());
        Lease second = claimFlow();
        assertThat(second.taskId()).isEqualTo(signalled.taskId());
        applied(await(second, 0, 1));
        Lease third = claimFlow();
        assertThat(third.taskId()).as("it did not have to wait").isEqualTo(signalled.taskId());
        applied(new Settlement.Complete(token, null));
        applied(new Settlement.Complete(third, null));
        Claims none = claim(ClaimDraft.from(FLOWS));
        assertThat(none.tasks()).isEmpty();
        assertThat(none.nextDue()).as("the wake by time").isEqualTo(Duration.ofSeconds(60));
        clock.advance(Duration.ofSeconds(60));
        Lease woken = claimFlow();
        assertThat(woken.taskId()).isEqualTo(slept.taskId());
        applied(new Settlement.Retry(woken, Duration.ZERO, "broken"));
        noFlowIsDue();
        clock.advance(Duration.ofMinutes(59));
        claimFlow();
        noFlowIsDue();
    }

    @Test
    @DisplayName(
            "F7, Q4, Q5: a woken workflow has a slot and takes its mutex, although it uses nothing of the rate limit")
    void aWakeHasASlot() {
        TaskId first = create(WORKFLOW.mutex("m"));
        applied(await(claimFlow(), 0, 1));
        set(FLOWS, QueueSettings.builder().rateLimit("1/hour").concurrency(1));
        create(WORKFLOW.mutex("m"));
        Lease holder = claimFlow();
        signal(first);
        noFlowIsDue();
        assertThat(state(first)).as("no slot is free").isEqualTo(TaskState.PENDING);
        set(FLOWS, QueueSettings.builder().rateLimit("1/hour").concurrency(2));
        noFlowIsDue();
        assertThat(state(first)).as("its mutex is held").isEqualTo(TaskState.WAITING);
        create(WORKFLOW);
        applied(new Settlement.Complete(holder, null));
        assertThat(claimFlow().taskId()).isEqualTo(first);
        noFlowIsDue();
    }

    @Test
    @DisplayName("F8: a wait costs no failure, leaves no attempt, and is applied once")
    void aWaitLeavesNoAttempt() {
        Lease lease = running();
        applied(new Settlement.Retry(lease, Duration.ZERO, "first"));
        Lease second = claimFlow();
        Settlement.Wait wait = await(second, 0, 1);
        applied(wait);
        changesNothing(() -> applied(wait));
        assertThat(store.attempts(lease.taskId()))
                .extracting(Attempt::outcome)
                .containsExactly(Attempt.Outcome.RETRIED);
        assertThat(read(lease.taskId()).progress().failures()).isEqualTo(1);
        assertThat(apply(new Settlement.Complete(second, null))).isEqualTo(Settled.STALE);
        signal(lease.taskId());
        Lease third = claimFlow();
        assertThat(third.attempt()).isEqualTo(3);
        changesNothing(() -> applied(wait));
        assertThat(apply(await(lease, 0, 1))).as("that one was retried").isEqualTo(Settled.STALE);
        leasesExpire();
        Lease fourth = claimFlow();
        assertThat(apply(await(third, 1, 1))).as("that one vanished").isEqualTo(Settled.STALE);
        applied(new Settlement.Complete(fourth, null));
    }

    @Test
    @DisplayName("F8: a wait with an error is kept, and its error is the task's last one")
    void aWaitHasAnError() {
        Lease lease = running();
        Settlement.Wait wait = new Settlement.Wait(lease, 0, 1, clock.instant().plusSeconds(60), "does not fit");
        applied(wait);
        changesNothing(() -> applied(wait));
        assertThat(read(lease.taskId()).progress().lastError()).isEqualTo("does not fit");
        assertThat(read(lease.taskId()).progress().failures()).isZero();
        assertThat(store.attempts(lease.taskId())).extracting(Attempt::outcome).containsExactly(Attempt.Outcome.WAITED);
        assertThat(store.attempts(lease.taskId()).getFirst().error()).isEqualTo("does not fit");
    }

    @Test
    @DisplayName("F8: an advance sets failures and vanished attempts to zero")
    void progressCounts() {
        Lease lease = running();
        applied(new Settlement.Retry(lease, Duration.ZERO, "first"));
        claimFlow();
        leasesExpire();
        Lease third = claimFlow();
        assertThat(read(lease.taskId()).progress().vanished()).isEqualTo(1);
        applied(advance(third, 1, value("a")));
        assertThat(read(lease.taskId()).progress().vanished()).isZero();
        assertThat(read(lease.taskId()).progress().failures()).isZero();
        leasesExpire();
        claimFlow();
        assertThat(read(lease.taskId()).progress().vanished()).isEqualTo(1);
    }
}
