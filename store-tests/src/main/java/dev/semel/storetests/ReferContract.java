package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.EffectOutcome;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.InboxEntry;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Resolution;
import dev.semel.store.Resolution.Verdict;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.StoredFlow;
import dev.semel.store.Task;
import dev.semel.store.TaskOptions;
import dev.semel.store.WorkflowOptions;
import dev.semel.task.EffectId;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The laws of effects that are left to a person while their workflow goes on: E12 and F20. */
public abstract class ReferContract extends WorkflowStoreContract {

    private static final String REASON = "nobody knows";

    /** For subclasses. */
    protected ReferContract() {}

    private static EffectId charge(TaskId lineage) {
        return new EffectId(lineage, "charge", 0);
    }

    private static Settlement.Refer refer(Lease lease) {
        return new Settlement.Refer(lease, charge(lease.taskId()), REASON);
    }

    private static Operation.Resolve resolve(Lease left, Verdict verdict) {
        return new Operation.Resolve(
                charge(left.taskId()),
                left.attemptId(),
                new Resolution(verdict, verdict == Verdict.DONE ? "\"told\"" : null, "ann", "looked it up"));
    }

    private EffectRecord effect(TaskId lineage) {
        return Objects.requireNonNull(store.effects(List.of(lineage)).get(lineage))
                .getFirst();
    }

    /** A workflow whose second attempt has left an effect of the first to a person. */
    private Lease referred() {
        create(WORKFLOW.key("k"));
        Lease first = claimFlow();
        applied(new Settlement.Intend(first, charge(first.taskId()), null));
        applied(new Settlement.Retry(first, Duration.ZERO, "lost"));
        Lease second = claimFlow();
        applied(refer(second));
        return second;
    }

    // E12

    @Test
    @DisplayName("E12: a referral records the attempt and the reason, and ends nothing")
    void records() {
        Lease lease = referred();
        Task before = read(lease.taskId());
        assertThat(before.state()).isEqualTo(TaskState.RUNNING);
        EffectRecord effect = effect(lease.taskId());
        assertThat(effect.by()).isEqualTo(lease.attemptId());
        assertThat(effect.note()).isEqualTo(REASON);
        assertThat(effect.state()).isEqualTo(EffectState.IN_PROGRESS);
        changesNothing(() -> applied(refer(lease)));
        applied(advance(lease, 1, value("a")));
        applied(await(lease, 0, 1));
        assertThat(effect(lease.taskId()).state()).isEqualTo(EffectState.UNKNOWN);
        changesNothing(() -> assertThat(apply(refer(lease))).isEqualTo(Settled.STALE));
    }

    @Test
    @DisplayName(
            "E12: a referral of an effect with an outcome is answered as concluded, and of an unknown one as not found")
    void concluded() {
        Lease lease = referred();
        EffectId other = new EffectId(lease.taskId(), "other", 0);
        changesNothing(() ->
                assertThat(apply(new Settlement.Refer(lease, other, REASON))).isEqualTo(Settled.NOT_FOUND));
        applied(new Settlement.Conclude(
                lease, charge(lease.taskId()), new EffectOutcome.Done("1", EffectOutcome.How.PROBED)));
        changesNothing(() -> assertThat(apply(refer(lease))).isEqualTo(Settled.CONCLUDED));
    }

    @Test
    @DisplayName("E12: an old attempt refers nothing")
    void stale() {
        Lease lease = referred();
        applied(new Settlement.Retry(lease, Duration.ZERO, "again"));
        Lease next = claimFlow();
        changesNothing(() -> assertThat(apply(refer(lease))).isEqualTo(Settled.STALE));
        applied(refer(next));
        assertThat(effect(lease.taskId()).by()).isEqualTo(next.attemptId());
    }

    // F20

    @ParameterizedTest
    @EnumSource(Verdict.class)
    @DisplayName(
            "F20: the resolution is an entry in the inbox in the step that resolves the effect, and wakes the workflow")
    void wakes(Verdict verdict) {
        Lease lease = referred();
        applied(await(lease, 0, 5));
        assertThat(state(lease.taskId())).isEqualTo(TaskState.WAITING);
        clock.advance(Duration.ofMinutes(1));
        Operation.Resolve operation = resolve(lease, verdict);
        applied(operation);
        InboxEntry entry = inbox(lease.taskId()).getFirst();
        InboxEntry expected = StoredFlow.resolved(operation, clock.instant());
        assertThat(inbox(lease.taskId())).hasSize(1);
        assertThat(entry.number()).isEqualTo(1);
        assertThat(List.of(entry.name(), Objects.requireNonNull(entry.key()), Objects.requireNonNull(entry.document())))
                .isEqualTo(List.of(
                        expected.name(),
                        Objects.requireNonNull(expected.key()),
                        Objects.requireNonNull(expected.document())));
        assertThat(entry.error()).isEqualTo(expected.error());
        assertThat(entry.at()).isEqualTo(clock.instant());
        assertThat(entry.error() != null).isEqualTo(verdict == Verdict.GIVE_UP);
        assertThat(read(lease.taskId()).progress().dueAt()).isEqualTo(clock.instant());
        assertThat(state(lease.taskId())).as("given up too: its code decides").isEqualTo(TaskState.PENDING);
        changesNothing(() -> applied(operation));
        assertThat(effect(lease.taskId()).state())
                .isEqualTo(
                        switch (verdict) {
                            case DONE -> EffectState.DONE;
                            case NOT_DONE -> EffectState.NOT_DONE;
                            case GIVE_UP -> EffectState.UNKNOWN;
                        });
        assertThat(claimFlow().attempt()).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource(Verdict.class)
    @DisplayName("F20, F6: a workflow that waits after the resolution does not wait")
    void before(Verdict verdict) {
        Lease lease = referred();
        changesNothing(() -> assertThat(apply(resolve(lease, verdict))).isEqualTo(Operated.HELD));
        applied(await(lease, 0, 1));
        signal(lease.taskId());
        Lease next = claimFlow();
        applied(resolve(lease, verdict));
        assertThat(state(lease.taskId())).isEqualTo(TaskState.RUNNING);
        applied(await(next, 1, 1));
        assertThat(state(lease.taskId())).isEqualTo(TaskState.PENDING);
    }

    @Test
    @DisplayName("F20: a workflow goes on while a person is asked: steps, signals and its time wake it")
    void goesOn() {
        Lease lease = referred();
        TaskId step = start(lease, STEP);
        applied(await(lease, 0, 1));
        complete(step);
        Lease second = claimFlow();
        applied(new Settlement.Wait(second, 1, 1, clock.instant().plusSeconds(60), null));
        clock.advance(Duration.ofMinutes(1));
        Lease third = claimFlow();
        applied(await(third, 1, 1));
        signal(lease.taskId());
        Lease fourth = claimFlow();
        applied(await(fourth, 2, 1));
        applied(resolve(lease, Verdict.DONE));
        assertThat(inbox(lease.taskId())).extracting(InboxEntry::name).last().isEqualTo(StoredFlow.RESOLVED);
        claimFlow();
    }

    @Test
    @DisplayName("F20, F11: the resolution of an ended workflow's effect is added to its inbox and wakes nobody")
    void ended() {
        Lease lease = referred();
        applied(await(lease, 0, 1));
        applied(new Operation.Cancel(lease.taskId()));
        applied(resolve(lease, Verdict.NOT_DONE));
        assertThat(inbox(lease.taskId())).hasSize(1);
        assertThat(state(lease.taskId())).isEqualTo(TaskState.CANCELLED);
        noFlowIsDue();
    }

    @Test
    @DisplayName("F20, E8: an effect that is not left to a person cannot be given up while its workflow is open")
    void notReferred() {
        create(WORKFLOW);
        Lease lease = claimFlow();
        applied(new Settlement.Intend(lease, charge(lease.taskId()), null));
        applied(await(lease, 0, 1));
        changesNothing(() -> assertThat(apply(resolve(lease, Verdict.GIVE_UP))).isEqualTo(Operated.HELD));
        applied(resolve(lease, Verdict.DONE));
        assertThat(inbox(lease.taskId())).hasSize(1);
    }

    @Test
    @DisplayName("F20: given up again after it was left to a person again, it is another entry")
    void givenUpTwice() {
        Lease lease = referred();
        applied(await(lease, 0, 1));
        applied(resolve(lease, Verdict.GIVE_UP));
        Lease next = claimFlow();
        applied(refer(next));
        applied(await(next, 1, 1));
        assertThat(state(lease.taskId())).isEqualTo(TaskState.WAITING);
        changesNothing(() -> applied(resolve(lease, Verdict.GIVE_UP)));
        applied(resolve(next, Verdict.GIVE_UP));
        assertThat(inbox(lease.taskId()))
                .extracting(InboxEntry::key)
                .doesNotHaveDuplicates()
                .hasSize(2);
        claimFlow();
    }

    @Test
    @DisplayName("F20: the resolution of a plain task's effect is no entry")
    void plain() {
        create(STEP);
        Lease lease = claimOne();
        applied(new Settlement.Intend(lease, charge(lease.taskId()), null));
        applied(new Settlement.Park(lease, charge(lease.taskId()), REASON));
        applied(resolve(lease, Verdict.DONE));
        assertThat(inbox(lease.taskId())).isEmpty();
        assertThat(state(lease.taskId())).isEqualTo(TaskState.PENDING);
    }

    @Test
    @DisplayName("F20: a workflow without a history gets the resolution as its first entry")
    void first() {
        create(WORKFLOW.options(new TaskOptions(0, null, null, null, null, WorkflowOptions.UNLIMITED)));
        Lease lease = claimFlow();
        applied(new Settlement.Intend(lease, charge(lease.taskId()), null));
        applied(new Settlement.Retry(lease, Duration.ZERO, "lost"));
        applied(resolve(lease, Verdict.NOT_DONE));
        assertThat(inbox(lease.taskId())).hasSize(1);
    }

    @Test
    @DisplayName("F20: of several resolutions at once one is an entry, while signals and a wait are under way")
    void concurrently() throws Exception {
        for (int round = 0; round < 10; round++) {
            Lease lease = referred(round);
            applied(await(lease, 0, 1));
            List<Callable<Operated>> people = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                Verdict verdict = i % 2 == 0 ? Verdict.DONE : Verdict.NOT_DONE;
                people.add(() -> store.operate(List.of(resolve(lease, verdict))).getFirst());
            }
            int signals = round;
            people.add(() -> {
                signal(lease.taskId(), "s" + signals, "go", null);
                return Operated.APPLIED;
            });
            try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
                for (Future<Operated> answer : pool.invokeAll(people)) {
                    assertThat(answer.get()).isIn(Operated.APPLIED, Operated.STALE);
                }
            }
            assertThat(inbox(lease.taskId())).hasSize(2);
            assertThat(inbox(lease.taskId())).extracting(InboxEntry::number).containsExactly(1, 2);
            applied(new Settlement.Complete(claimFlow(), null));
        }
    }

    private Lease referred(int round) {
        create(WORKFLOW.key("k" + round));
        Lease first = claimFlow();
        applied(new Settlement.Intend(first, charge(first.taskId()), null));
        applied(refer(first));
        return first;
    }
}
