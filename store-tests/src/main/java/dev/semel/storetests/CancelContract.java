package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.NewTask;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.Cancellation;
import dev.semel.store.Submitted.Created;
import dev.semel.store.Submitted.Returned;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The laws of a submitter's cancellation: M6, M7 and S6. */
public abstract class CancelContract extends StoreContract {

    private static final Draft KEYED = Draft.keyed("k");

    /** For subclasses. */
    protected CancelContract() {}

    private Submitted cancel(TaskId id) {
        List<Submitted> answers = store.submit(List.of(new SubmitRequest.Cancel(id)));
        assertThat(answers).hasSize(1);
        return answers.getFirst();
    }

    @Test
    @DisplayName("M6: a submitter cancels a pending task at once; a cancellation that is sent again changes nothing")
    void aPendingTaskIsCancelled() {
        TaskId id = create(KEYED);
        assertThat(cancel(id)).isEqualTo(Cancellation.CANCELLED);
        assertThat(state(id)).isEqualTo(TaskState.CANCELLED);
        changesNothing(() -> assertThat(cancel(id)).isEqualTo(Cancellation.CANCELLED));
        assertThat(claimIds(ClaimDraft.from(Draft.QUEUE))).isEmpty();
    }

    @Test
    @DisplayName("M6: a submitter cancels a waiting task at once")
    void aWaitingTaskIsCancelled() {
        create(KEYED);
        Lease lease = claimOne();
        TaskId waiting = create(KEYED.replacing());
        assertThat(state(waiting)).isEqualTo(TaskState.WAITING);
        assertThat(cancel(waiting)).isEqualTo(Cancellation.CANCELLED);
        assertThat(state(waiting)).isEqualTo(TaskState.CANCELLED);
        applied(new Settlement.Cancelled(lease));
        changesNothing(() -> assertThat(cancel(waiting)).isEqualTo(Cancellation.CANCELLED));
    }

    @Test
    @DisplayName("M6, M7: the worker of a running task is asked to cancel it, and the task stays open until it does")
    void aRunningTaskIsAskedToCancel() {
        TaskId id = create(KEYED);
        Lease lease = claimOne();
        assertThat(cancel(id)).isEqualTo(Cancellation.REQUESTED);
        assertThat(state(id)).isEqualTo(TaskState.RUNNING);
        changesNothing(() -> assertThat(cancel(id)).isEqualTo(Cancellation.REQUESTED));
        assertThat(apply(new Settlement.Extend(lease, ClaimDraft.LEASE))).isEqualTo(Settled.CANCEL_REQUESTED);
        applied(new Settlement.Cancelled(lease));
        assertThat(state(id)).isEqualTo(TaskState.CANCELLED);
        changesNothing(() -> assertThat(cancel(id)).isEqualTo(Cancellation.CANCELLED));
    }

    @Test
    @DisplayName("M6: it is too late to cancel a task that has ended another way")
    void anEndedTaskIsNotCancelled() {
        for (TaskState end : List.of(TaskState.COMPLETED, TaskState.FAILED, TaskState.TIMED_OUT)) {
            TaskId id = createIn(end, Draft.plain());
            changesNothing(() -> assertThat(cancel(id)).as("%s", end).isEqualTo(Cancellation.TOO_LATE));
        }
    }

    @Test
    @DisplayName("M6: a task that is not stored is not found")
    void anUnknownTaskIsNotFound() {
        create(KEYED);
        changesNothing(() -> assertThat(cancel(ids.next())).isEqualTo(Cancellation.NOT_FOUND));
    }

    @Test
    @DisplayName("S6: a batch of new tasks and cancellations means its items in order")
    void aMixedBatchIsInOrder() {
        TaskId pending = create(Draft.plain());
        NewTask first = task(KEYED);
        NewTask duplicate = task(KEYED);
        NewTask rerun = task(KEYED);
        NewTask plain = task(Draft.plain());
        List<Submitted> answers = store.submit(List.of(
                new SubmitRequest.Cancel(first.id()),
                first,
                duplicate,
                new SubmitRequest.Cancel(first.id()),
                new SubmitRequest.Cancel(duplicate.id()),
                rerun,
                new SubmitRequest.Cancel(pending),
                plain,
                first,
                new SubmitRequest.Cancel(first.id())));
        assertThat(answers).hasSize(10);
        assertThat(answers.get(0)).as("not created yet").isEqualTo(Cancellation.NOT_FOUND);
        assertThat(((Created) answers.get(1)).run()).isEqualTo(1);
        assertThat(((Returned) answers.get(2)).existing().taskId()).isEqualTo(first.id());
        assertThat(answers.get(3)).isEqualTo(Cancellation.CANCELLED);
        assertThat(answers.get(4)).as("never created").isEqualTo(Cancellation.NOT_FOUND);
        assertThat(((Created) answers.get(5)).run())
                .as("a cancelled task is rerun")
                .isEqualTo(2);
        assertThat(answers.get(6)).isEqualTo(Cancellation.CANCELLED);
        assertThat(((Created) answers.get(7)).taskId()).isEqualTo(plain.id());
        assertThat(((Created) answers.get(8)).state())
                .as("the same task sent again")
                .isEqualTo(TaskState.CANCELLED);
        assertThat(answers.get(9)).isEqualTo(Cancellation.CANCELLED);
        assertThat(List.of(state(first.id()), state(rerun.id()), state(pending), state(plain.id())))
                .containsExactly(TaskState.CANCELLED, TaskState.PENDING, TaskState.CANCELLED, TaskState.PENDING);
        assertThat(record(KEYED).taskId()).isEqualTo(rerun.id());
        assertThat(claimIds(ClaimDraft.from(Draft.QUEUE))).containsExactly(rerun.id(), plain.id());
    }
}
