package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.EffectOutcome.How;
import dev.semel.store.EffectState;
import dev.semel.store.Operated;
import dev.semel.store.Resolution.Verdict;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Task;
import dev.semel.task.EffectId;
import dev.semel.task.Lease;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The law of a resolution, E8, where no task is parked because of the effect. */
public abstract class NotParkedContract extends EffectStoreContract {

    /** For subclasses. */
    protected NotParkedContract() {}

    @Test
    @DisplayName("E8: a parked task continues only by a resolution of the attempt that parked it")
    void aTaskThatIsParkedByALaterAttempt() {
        Lease first = intended(KEYED);
        EffectId mail = new EffectId(first.taskId(), "mail", 0);
        applied(intend(first, mail));
        applied(new Settlement.PutBack(first, Duration.ZERO));
        Lease second = claimOne();
        applied(park(second));
        Task parked = read(first.taskId());
        refused(Operated.HELD, resolve(mail, first, Verdict.GIVE_UP));
        applied(resolve(mail, first, Verdict.NOT_DONE));
        assertThat(read(first.taskId()))
                .as("it waits for the resolution of the other one")
                .isEqualTo(parked);
        applied(resolve(second, Verdict.DONE));
        assertThat(state(first.taskId())).isEqualTo(TaskState.PENDING);
    }

    @Test
    @DisplayName(
            "E8: while the task is open but not parked, a resolution settles the effect and leaves the task; giving up is rejected")
    void ofATaskThatIsOpen() {
        for (Verdict verdict : List.of(Verdict.DONE, Verdict.NOT_DONE)) {
            Lease pending = leftUnknown(Draft.plain());
            leavesTheTask(pending, verdict);
            applied(new Settlement.Complete(claimOne(), null));
            Lease running = leftUnknown(Draft.plain());
            Lease second = claimOne();
            leavesTheTask(running, verdict);
            assertThat(apply(intend(second))).isEqualTo(verdict == Verdict.DONE ? Settled.CONCLUDED : Settled.APPLIED);
            applied(new Settlement.Complete(second, null));
        }
    }

    private void leavesTheTask(Lease left, Verdict verdict) {
        refused(Operated.HELD, resolve(left, Verdict.GIVE_UP));
        Task before = read(left.taskId());
        applied(resolve(left, verdict));
        assertThat(read(left.taskId())).isEqualTo(before);
        assertThat(effect(left).how()).isEqualTo(How.RESOLVED);
    }

    @Test
    @DisplayName(
            "E8: a task that was parked by an earlier attempt is not failed by a resolution of what that attempt left")
    void aTaskThatRunsAgainIsNotGivenUp() {
        Lease lease = intended(KEYED);
        EffectId mail = new EffectId(lease.taskId(), "mail", 0);
        applied(intend(lease, mail));
        applied(park(lease));
        applied(resolve(lease, Verdict.DONE));
        refused(Operated.HELD, resolve(mail, lease, Verdict.GIVE_UP));
        claimOne();
        refused(Operated.HELD, resolve(mail, lease, Verdict.GIVE_UP));
        assertThat(state(lease.taskId())).isEqualTo(TaskState.RUNNING);
    }

    @Test
    @DisplayName("E8: a resolution after the end of the task is recorded, giving up too, and the task stays as it was")
    void ofATaskThatHasEnded() {
        for (Verdict verdict : Verdict.values()) {
            for (TaskState end : List.of(TaskState.COMPLETED, TaskState.FAILED, TaskState.CANCELLED)) {
                Lease lease = intended(Draft.plain());
                applied(
                        switch (end) {
                            case COMPLETED -> new Settlement.Complete(lease, "1");
                            case FAILED -> new Settlement.Fail(lease, false, "broken");
                            default -> new Settlement.Cancelled(lease);
                        });
                Task before = read(lease.taskId());
                applied(resolve(lease, verdict));
                assertThat(read(lease.taskId())).isEqualTo(before);
                assertThat(effect(lease).resolution()).isEqualTo(kept(verdict, "ann"));
                assertThat(stateOf(lease))
                        .isEqualTo(
                                switch (verdict) {
                                    case DONE -> EffectState.DONE;
                                    case NOT_DONE -> EffectState.NOT_DONE;
                                    case GIVE_UP -> EffectState.UNKNOWN;
                                });
                changesNothing(() -> applied(resolve(lease, verdict)));
            }
        }
    }

    @Test
    @DisplayName("E8: a resolution after the deletion of the task's data is recorded, and a rerun finds it")
    void ofADeletedTask() {
        for (Verdict verdict : Verdict.values()) {
            Draft draft = Draft.keyed(verdict.word());
            Lease lease = intended(draft);
            applied(new Settlement.Fail(lease, false, "broken"));
            store.sweep(ALL);
            assertThat(store.find(List.of(lease.taskId()))).isEmpty();
            applied(resolve(lease, verdict));
            changesNothing(() -> applied(resolve(lease, verdict)));
            Lease rerun = begin(draft);
            assertThat(effect(read(rerun.taskId()).lineage()).resolution()).isEqualTo(kept(verdict, "ann"));
            assertThat(apply(intend(rerun, charge(lease))))
                    .isEqualTo(verdict == Verdict.DONE ? Settled.CONCLUDED : Settled.APPLIED);
            applied(new Settlement.Complete(rerun, null));
        }
    }
}
