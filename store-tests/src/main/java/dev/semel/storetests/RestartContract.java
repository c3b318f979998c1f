package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Attempt;
import dev.semel.store.Generation;
import dev.semel.store.HistoryLine;
import dev.semel.store.InboxEntry;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.StoredFlow;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.Signalled;
import dev.semel.store.Task;
import dev.semel.task.EffectId;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The laws of generations: F18 and F19. */
public abstract class RestartContract extends WorkflowStoreContract {

    /** For subclasses. */
    protected RestartContract() {}

    /** How a workflow stands that can be restarted. */
    enum Standing {
        COMPLETED,
        FAILED,
        TIMED_OUT,
        CANCELLED,
        TERMINATED,
        LISTENING,
        SLEEPING,
        RETRIED,
        STOPPED
    }

    /** A workflow with a key, four lines and a step that has failed in the third of them. */
    private Lease begun() {
        create(WORKFLOW.key("k"));
        Lease lease = claimFlow();
        applied(advance(lease, 1, value("a")));
        start(lease, STEP.queue("other"));
        TaskId failed = start(lease, STEP.queue("failing"));
        claim(ClaimDraft.from("failing"))
                .tasks()
                .forEach(claimed -> applied(new Settlement.Fail(claimed.lease(), false, "broken")));
        applied(advance(lease, 4, value("b")));
        assertThat(inbox(lease.taskId())).extracting(InboxEntry::step).containsExactly(failed);
        return lease;
    }

    private void end(Lease lease, Standing standing) {
        switch (standing) {
            case COMPLETED -> applied(new Settlement.Complete(lease, "1"));
            case FAILED -> applied(new Settlement.Fail(lease, false, "bad"));
            case TIMED_OUT -> applied(new Settlement.Fail(lease, true, "late"));
            case CANCELLED -> {
                signal(lease.taskId(), StoredFlow.CANCEL_KEY, StoredFlow.CANCEL, null);
                applied(new Settlement.Cancelled(lease));
            }
            case TERMINATED -> {
                applied(await(lease, 1, 1));
                applied(new Operation.Cancel(lease.taskId()));
            }
            case LISTENING -> applied(await(lease, 1, 1));
            case SLEEPING ->
                applied(new Settlement.Wait(lease, 1, 1, clock.instant().plusSeconds(100), null));
            case RETRIED -> applied(new Settlement.Retry(lease, Duration.ofHours(1), "again"));
            case STOPPED ->
                applied(new Settlement.Wait(lease, 1, 1_000, clock.instant().plusSeconds(100), "unfit"));
        }
    }

    private static Operation.Restart restart(Lease lease, int generation, int from) {
        return new Operation.Restart(lease.taskId(), generation, from);
    }

    @ParameterizedTest
    @EnumSource(Standing.class)
    @DisplayName("F18: a restart keeps the lines before its line, and the workflow is due at once under a fresh budget")
    void begins(Standing standing) {
        Lease lease = begun();
        end(lease, standing);
        List<HistoryLine> before = history(lease.taskId()).lines();
        List<InboxEntry> entries = inbox(lease.taskId());
        clock.advance(Duration.ofSeconds(1));
        applied(restart(lease, 1, 3));
        assertThat(history(lease.taskId()).lines()).isEqualTo(before.subList(0, 2));
        assertThat(inbox(lease.taskId())).hasSize(entries.size() + 1);
        InboxEntry entry = inbox(lease.taskId()).getLast();
        assertThat(entry.number()).isEqualTo(entries.size() + 1);
        assertThat(Generation.of(entry)).contains(new Generation(2, 3, entries.size() + 1, clock.instant()));
        assertThat(entry.document())
                .contains(
                        "\"lines\":2",
                        "{\"line\":3,\"kind\":\"step\"",
                        "{\"line\":4,\"kind\":\"value\",\"name\":\"b\"}");
        Task.Progress progress = read(lease.taskId()).progress();
        assertThat(progress.state()).isEqualTo(TaskState.PENDING);
        assertThat(progress.dueAt()).isEqualTo(clock.instant());
        assertThat(progress.failures() + progress.vanished()).isZero();
        assertThat(progress.cancelRequested()).isFalse();
        assertThat(progress.result()).isNull();
        assertThat(progress.finishedAt()).isNull();
        Lease again = claimFlow();
        assertThat(again.attempt()).isEqualTo(2);
        applied(advance(again, 3, value("c")));
        applied(new Settlement.Complete(again, "2"));
        assertThat(read(lease.taskId()).progress().result()).isEqualTo("2");
        assertThat(history(lease.taskId()).lines())
                .extracting(HistoryLine::name)
                .containsExactly("a", Draft.TYPE, "c");
    }

    @ParameterizedTest
    @EnumSource(
            value = Standing.class,
            names = {"COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED", "RETRIED"})
    @DisplayName("F18: the attempt that ended the workflow is kept, and its end is recognised when it is sent again")
    void attemptsAreKept(Standing standing) {
        Lease lease = begun();
        end(lease, standing);
        List<Attempt> before = store.attempts(lease.taskId());
        assertThat(before).hasSize(1);
        applied(restart(lease, 1, 5));
        assertThat(store.attempts(lease.taskId())).isEqualTo(before);
        if (standing == Standing.COMPLETED) {
            changesNothing(() -> applied(new Settlement.Complete(lease, "1")));
        }
        assertStale(new Settlement.PutBack(lease, Duration.ZERO));
        assertStale(advance(lease, 5, value("zombie")));
        Lease again = claimFlow();
        applied(new Settlement.Complete(again, "2"));
        assertThat(store.attempts(lease.taskId())).hasSize(2).startsWith(before.getFirst());
    }

    private void assertStale(Settlement settlement) {
        changesNothing(() -> assertThat(apply(settlement)).isEqualTo(Settled.STALE));
    }

    @Test
    @DisplayName("F19: a restart is applied once, and another one of the same generation is stale")
    void once() {
        Lease lease = begun();
        end(lease, Standing.FAILED);
        for (Operation.Restart wrong : List.of(restart(lease, 2, 3), restart(lease, 1, 6))) {
            changesNothing(() -> assertThat(apply(wrong)).isEqualTo(Operated.STALE));
        }
        applied(restart(lease, 1, 3));
        changesNothing(() -> applied(restart(lease, 1, 3)));
        changesNothing(() -> assertThat(apply(restart(lease, 1, 2))).isEqualTo(Operated.STALE));
        Lease again = claimFlow();
        changesNothing(() -> applied(restart(lease, 1, 3)));
        applied(advance(again, 3, value("x")));
        applied(new Settlement.Complete(again, null));
        changesNothing(() -> applied(restart(lease, 1, 3)));
        applied(restart(lease, 2, 0));
        assertThat(history(lease.taskId()).lines()).isEmpty();
        changesNothing(() -> applied(restart(lease, 1, 3)));
        changesNothing(() -> applied(restart(lease, 2, 0)));
        assertThat(Generation.all(inbox(lease.taskId())))
                .extracting(Generation::number)
                .containsExactly(2, 3);
    }

    @Test
    @DisplayName("F19: a workflow that runs, has not begun or is parked is not restarted")
    void held() {
        TaskId waiting = create(WORKFLOW.key("early"));
        signal(waiting);
        changesNothing(
                () -> assertThat(apply(new Operation.Restart(waiting, 1, 0))).isEqualTo(Operated.HELD));
        applied(new Operation.Cancel(waiting));
        changesNothing(
                () -> assertThat(apply(new Operation.Restart(waiting, 1, 0))).isEqualTo(Operated.HELD));
        Lease lease = begun();
        changesNothing(() -> assertThat(apply(restart(lease, 1, 3))).isEqualTo(Operated.HELD));
        clock.advance(Duration.ofHours(1));
        changesNothing(() -> assertThat(apply(restart(lease, 1, 3))).isEqualTo(Operated.HELD));
        EffectId effect = new EffectId(lease.taskId(), "charge", 0);
        applied(new Settlement.Intend(lease, effect, null));
        applied(new Settlement.Park(lease, effect, "unknown"));
        changesNothing(() -> assertThat(apply(restart(lease, 1, 3))).isEqualTo(Operated.HELD));
    }

    @Test
    @DisplayName("F19: what is no workflow, or is no longer stored, is not found")
    void notFound() {
        TaskId plain = create(STEP);
        applied(new Settlement.Complete(claimOne(), null));
        Lease lease = begun();
        set(FLOWS, QueueSettings.builder().retention(Duration.ZERO));
        end(lease, Standing.COMPLETED);
        for (TaskId id : List.of(plain, lease.taskId(), TaskId.parse("0190a000-0000-7000-8000-000000000001"))) {
            changesNothing(
                    () -> assertThat(apply(new Operation.Restart(id, 1, 0))).isEqualTo(Operated.NOT_FOUND));
        }
    }

    @Test
    @DisplayName("F18: a restart takes the key in the same step, or answers that a newer task has it")
    void keys() {
        Lease lease = begun();
        end(lease, Standing.FAILED);
        TaskId newer = create(WORKFLOW.key("k"));
        changesNothing(() -> assertThat(apply(restart(lease, 1, 3))).isEqualTo(Operated.SUPERSEDED));
        Lease second = claimFlow();
        assertThat(second.taskId()).isEqualTo(newer);
        applied(new Settlement.Complete(second, null));
        changesNothing(() -> assertThat(apply(restart(lease, 1, 3))).isEqualTo(Operated.SUPERSEDED));
        applied(new Operation.ReleaseKey(WORKFLOW.key("k").identity(), newer));
        applied(restart(lease, 1, 3));
        assertThat(store.record(WORKFLOW.key("k").identity()).orElseThrow().taskId())
                .isEqualTo(lease.taskId());
        changesNothing(
                () -> assertThat(apply(new Operation.Restart(newer, 1, 0))).isNotEqualTo(Operated.APPLIED));
    }

    @Test
    @DisplayName("F18: a window that has passed begins again, and duplicates get the restarted workflow")
    void windows() {
        Lease lease = begun();
        end(lease, Standing.COMPLETED);
        clock.advance(Duration.ofDays(400));
        applied(restart(lease, 1, 5));
        assertThat(store.record(WORKFLOW.key("k").identity()).orElseThrow().windowPassed())
                .isFalse();
        assertThat(submit(WORKFLOW.key("k")))
                .isInstanceOfSatisfying(
                        Submitted.Returned.class,
                        returned -> assertThat(returned.existing().taskId()).isEqualTo(lease.taskId()));
    }

    @Test
    @DisplayName(
            "F18: signals and ends of steps stay and are still accepted, and a cancellation can be requested again")
    void inboxGoesOn() {
        Lease lease = begun();
        TaskId open = history(lease.taskId()).lines().get(1).task();
        signal(lease.taskId(), "s", "go", null);
        end(lease, Standing.CANCELLED);
        applied(restart(lease, 1, 3));
        List<InboxEntry> before = inbox(lease.taskId());
        assertThat(before).extracting(InboxEntry::name).containsSequence("go", StoredFlow.CANCEL, Generation.NAME);
        changesNothing(() -> assertThat(signal(lease.taskId(), "s", "go", null)).isEqualTo(Signalled.ACCEPTED));
        Lease again = claimFlow();
        applied(await(again, before.size(), 1));
        assertThat(state(lease.taskId())).isEqualTo(TaskState.WAITING);
        claim(ClaimDraft.from("other"))
                .tasks()
                .forEach(claimed -> applied(new Settlement.Complete(claimed.lease(), "3")));
        assertThat(inbox(lease.taskId()).getLast().step()).isEqualTo(open);
        assertThat(state(lease.taskId())).isEqualTo(TaskState.PENDING);
        assertThat(signal(lease.taskId(), StoredFlow.CANCEL_KEY, StoredFlow.CANCEL, null))
                .isEqualTo(Signalled.ACCEPTED);
        assertThat(inbox(lease.taskId())).hasSize(before.size() + 2);
        changesNothing(() -> assertThat(signal(lease.taskId(), StoredFlow.CANCEL_KEY, StoredFlow.CANCEL, null))
                .isEqualTo(Signalled.ACCEPTED));
    }

    @Test
    @DisplayName("F19: of several restarts at once one begins a generation, and the others are told")
    void atOnce() throws Exception {
        Lease lease = begun();
        end(lease, Standing.LISTENING);
        List<Callable<Operated>> calls = new ArrayList<>();
        for (int from = 1; from <= 5; from++) {
            Operation.Restart one = restart(lease, 1, from);
            calls.add(() -> store.operate(List.of(one)).getFirst());
            calls.add(() -> another().operate(List.of(one)).getFirst());
        }
        List<Operated> answers = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(calls.size())) {
            for (Future<Operated> answer : threads.invokeAll(calls)) {
                answers.add(answer.get());
            }
        }
        assertThat(answers).filteredOn(Operated.APPLIED::equals).hasSize(2);
        assertThat(answers).filteredOn(Operated.STALE::equals).hasSize(8);
        assertThat(Generation.all(inbox(lease.taskId()))).hasSize(1);
        Lease again = claimFlow();
        int next = history(lease.taskId()).lines().size() + 1;
        assertThat(Generation.all(inbox(lease.taskId())).getFirst().from()).isEqualTo(next);
        applied(advance(again, next, value("on")));
    }
}
