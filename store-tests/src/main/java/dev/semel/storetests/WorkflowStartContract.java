package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.InboxEntry;
import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settlement;
import dev.semel.store.StoredFlow;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.SweepRequest;
import dev.semel.store.Task;
import dev.semel.store.TaskOptions;
import dev.semel.store.TaskQuery;
import dev.semel.store.WorkflowOptions;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The laws of starting, replacing, keeping and listing workflows: F15 to F17, and W1 for workflows. */
public abstract class WorkflowStartContract extends WorkflowStoreContract {

    private static final Draft MARKED =
            WORKFLOW.options(new TaskOptions(0, null, null, null, null, new WorkflowOptions(Duration.ofDays(3))));

    /** For subclasses. */
    protected WorkflowStartContract() {}

    private Submitted start(NewTask task, String key) {
        return store.submit(List.of(new SubmitRequest.SignalWithStart(task, key, "go", "1")))
                .getFirst();
    }

    private Submitted start(Draft draft, String key) {
        return start(task(draft), key);
    }

    private TaskId replacement(Draft draft) {
        Submitted.Created created = (Submitted.Created) submit(draft.replacing());
        assertThat(created.state()).isEqualTo(TaskState.WAITING);
        return created.taskId();
    }

    private void isAsked(TaskId workflow) {
        assertThat(inbox(workflow).getLast().name()).isEqualTo(StoredFlow.CANCEL);
        assertThat(inbox(workflow).getLast().key()).isEqualTo(StoredFlow.CANCEL_KEY);
        assertThat(read(workflow).progress().cancelRequested()).isFalse();
    }

    // ---- F15: replacing

    @Test
    @DisplayName(
            "F15: a replaced workflow that waits is asked to cancel and woken, and the new one is due when it has ended")
    void replacedWhileWaiting() {
        for (Draft draft : List.of(MARKED.key("marked"), WORKFLOW.key("by-history"))) {
            TaskId old = create(draft);
            Lease lease = claimFlow();
            start(lease, STEP);
            applied(await(lease, 0, 1));
            TaskId next = replacement(draft);
            isAsked(old);
            assertThat(state(old)).isEqualTo(TaskState.PENDING);
            Lease again = claimFlow();
            assertThat(again.taskId()).isEqualTo(old);
            noFlowIsDue();
            applied(new Settlement.Cancelled(again));
            assertThat(state(old)).isEqualTo(TaskState.CANCELLED);
            assertThat(state(next)).isEqualTo(TaskState.PENDING);
            applied(new Settlement.Complete(claimFlow(), null));
        }
    }

    @Test
    @DisplayName("F15: a replaced workflow that runs is not interrupted, and learns of it with its next wait")
    void replacedWhileRunning() {
        TaskId old = create(MARKED.key("k"));
        Lease lease = claimFlow();
        TaskId next = replacement(MARKED.key("k"));
        isAsked(old);
        applied(await(lease, 0, 1));
        assertThat(state(old)).isEqualTo(TaskState.PENDING);
        Lease again = claimFlow();
        applied(new Settlement.Complete(again, "1"));
        assertThat(state(next)).as("it may complete nevertheless").isEqualTo(TaskState.PENDING);
        applied(new Settlement.Complete(claimFlow(), null));
    }

    @Test
    @DisplayName("F15: a replaced workflow that sleeps is woken, and if it is terminated the new one is due at once")
    void replacedWhileSleeping() {
        TaskId old = create(MARKED.key("k"));
        applied(new Settlement.Wait(claimFlow(), 0, 1, clock.instant().plus(Duration.ofDays(30)), null));
        TaskId next = replacement(MARKED.key("k"));
        Lease again = claimFlow();
        assertThat(again.taskId()).isEqualTo(old);
        applied(await(again, 1, 1));
        assertThat(state(old)).isEqualTo(TaskState.WAITING);
        noFlowIsDue();
        applied(new Operation.Cancel(old));
        assertThat(claimFlow().taskId()).isEqualTo(next);
    }

    @Test
    @DisplayName("F15: of several replacements the last one waits for the first workflow, which is asked once")
    void replacedTwice() {
        TaskId old = create(MARKED.key("k"));
        applied(await(claimFlow(), 0, 1));
        TaskId second = replacement(MARKED.key("k"));
        TaskId third = replacement(MARKED.key("k"));
        assertThat(inbox(old)).hasSize(1);
        assertThat(state(second)).isEqualTo(TaskState.CANCELLED);
        applied(new Settlement.Fail(claimFlow(), false, "broken"));
        assertThat(claimFlow().taskId()).isEqualTo(third);
    }

    @Test
    @DisplayName("F15: a replaced workflow that has not begun, or is parked, ends at once")
    void replacedAtOnce() {
        TaskId unbegun = create(MARKED.key("a"));
        assertThat(submit(MARKED.key("a").replacing())).isInstanceOf(Submitted.Created.class);
        assertThat(state(unbegun)).isEqualTo(TaskState.CANCELLED);
        applied(new Settlement.Complete(claimFlow(), null));

        TaskId parked = create(MARKED.key("b"));
        Lease lease = claimFlow();
        applied(EffectStoreContract.intend(lease));
        applied(new Settlement.Park(lease, EffectStoreContract.charge(lease), "unknown"));
        assertThat(submit(MARKED.key("b").replacing())).isInstanceOf(Submitted.Created.class);
        assertThat(state(parked)).isEqualTo(TaskState.CANCELLED);
        applied(new Settlement.Complete(claimFlow(), null));
    }

    @Test
    @DisplayName("F15: a key is not released, and its record not removed, while a replaced workflow waits")
    void theKeyIsHeldMeanwhile() {
        TaskId old = create(MARKED.key("k"));
        applied(await(claimFlow(), 0, 1));
        TaskId next = replacement(MARKED.key("k"));
        applied(new Operation.Cancel(next));
        clock.advance(Duration.ofDays(100));
        store.sweep(new SweepRequest(Duration.ofDays(1_000), Map.of(), Duration.ofDays(1_000), 100));
        assertThat(store.record(MARKED.key("k").identity())).isPresent();
        TaskId third = ((Submitted.Created) submit(MARKED.key("k"))).taskId();
        assertThat(state(third)).isEqualTo(TaskState.WAITING);
        applied(new Settlement.Cancelled(claimFlow()));
        assertThat(state(old)).isEqualTo(TaskState.CANCELLED);
        assertThat(state(third)).isEqualTo(TaskState.PENDING);
    }

    // ---- F16: signals that start

    @Test
    @DisplayName("F16: a signal with a start creates the workflow with its entry, or adds the entry to the open one")
    void aSignalStarts() {
        Draft draft = MARKED.key("k");
        NewTask first = task(draft);
        assertThat(start(first, "a")).isInstanceOf(Submitted.Created.class);
        changesNothing(() -> assertThat(start(first, "a")).isInstanceOf(Submitted.Created.class));
        Submitted second = start(draft, "b");
        assertThat(second)
                .isInstanceOfSatisfying(
                        Submitted.Returned.class,
                        returned -> assertThat(returned.existing().taskId()).isEqualTo(first.id()));
        start(draft, "b");
        assertThat(inbox(first.id())).extracting(InboxEntry::key).containsExactly("a", "b");
        assertThat(inbox(first.id())).extracting(InboxEntry::document).containsOnly("1");
        assertThat(record(draft).duplicates()).isEqualTo(2);
    }

    @Test
    @DisplayName("F16: where the start is not carried out there is no entry")
    void aSignalDoesNotStart() {
        Draft draft = MARKED.key("k");
        TaskId id = create(draft);
        changesNothing(
                () -> assertThat(start(draft.input("{\"other\":1}"), "a")).isInstanceOf(Submitted.Conflicted.class));
        applied(new Settlement.Complete(claimFlow(), null));
        assertThat(start(draft, "a"))
                .isInstanceOfSatisfying(
                        Submitted.Returned.class,
                        returned -> assertThat(returned.existing().state()).isEqualTo(TaskState.COMPLETED));
        assertThat(inbox(id)).isEmpty();
    }

    @Test
    @DisplayName(
            "F16: after a failure it starts the next run, with the entry unless an earlier run has accepted its key")
    void aSignalStartsTheNextRun() {
        Draft draft = MARKED.key("k");
        assertThat(start(draft, "a")).isInstanceOf(Submitted.Created.class);
        applied(new Settlement.Fail(claimFlow(), false, "broken"));
        Submitted.Created second = (Submitted.Created) start(draft, "b");
        assertThat(second.run()).isEqualTo(2);
        assertThat(inbox(second.taskId())).extracting(InboxEntry::key).containsExactly("b");
        start(draft, "a");
        assertThat(inbox(second.taskId())).hasSize(1);
    }

    @Test
    @DisplayName("F16: of many threads that send a signal with a start one creates the workflow, and no entry is lost")
    void manyStarters() {
        Draft draft = MARKED.key("k");
        try (Crowd crowd = new Crowd(8)) {
            List<Submitted> answers = crowd.together(n -> start(draft, "key-" + n));
            assertThat(answers.stream().filter(Submitted.Created.class::isInstance))
                    .hasSize(1);
            assertThat(answers.stream().filter(Submitted.Returned.class::isInstance))
                    .hasSize(7);
        }
        assertThat(inbox(record(draft).taskId())).hasSize(8);
    }

    // ---- F17 and W1: listing and keeping

    @Test
    @DisplayName("F17: a listing of workflows has those that were submitted as such or have a history, and no others")
    void listed() {
        create(STEP);
        TaskId waiting = create(MARKED);
        TaskId byHistory = create(WORKFLOW);
        signal(byHistory);
        create(WORKFLOW);
        create(STEP.options(new TaskOptions(3, null, Duration.ofSeconds(5), "m")));
        TaskId other = create(MARKED.type(TYPE + "-other"));
        assertThat(workflows(TaskQuery.builder().workflows())).containsExactly(other, byHistory, waiting);
        assertThat(workflows(TaskQuery.builder().workflows().type(TYPE).pageSize(1)))
                .containsExactly(byHistory);
        assertThat(workflows(TaskQuery.builder().workflows().after(byHistory))).containsExactly(waiting);
        assertThat(workflows(TaskQuery.builder().workflows().states(TaskState.RUNNING)))
                .isEmpty();
        assertThat(read(waiting).options()).isEqualTo(MARKED.options());
    }

    private List<TaskId> workflows(TaskQuery.Builder query) {
        return store.list(query.build()).tasks().stream().map(Task::id).toList();
    }

    @Test
    @DisplayName("W1: workflows have a retention of their own, unless their queue has one")
    void retention() {
        set("short", QueueSettings.builder().retention(Duration.ofDays(2)));
        TaskId plain = create(STEP);
        TaskId inShortQueue = create(MARKED.queue("short"));
        TaskId marked = create(MARKED);
        applied(new Settlement.Complete(claimFlow(), null));
        TaskId byHistory = create(WORKFLOW);
        signal(byHistory);
        applied(new Settlement.Complete(claimFlow(), null));
        applied(new Settlement.Complete(claimOne(), null));
        applied(new Settlement.Complete(
                claim(ClaimDraft.from("short")).tasks().getFirst().lease(), null));
        SweepRequest request = new SweepRequest(
                Duration.ofDays(7), Map.of("short", Duration.ofDays(2)), Duration.ofDays(30), Duration.ofDays(90), 100);
        List<TaskId> all = List.of(plain, inShortQueue, marked, byHistory);
        clock.advance(Duration.ofDays(8));
        store.sweep(request);
        assertThat(store.find(all).keySet()).containsExactlyInAnyOrder(marked, byHistory);
        clock.advance(Duration.ofDays(23));
        store.sweep(request);
        assertThat(store.find(all)).isEmpty();
    }
}
