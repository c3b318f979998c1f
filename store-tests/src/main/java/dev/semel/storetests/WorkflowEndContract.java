package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.History;
import dev.semel.store.HistoryLine;
import dev.semel.store.HistoryLine.Kind;
import dev.semel.store.InboxEntry;
import dev.semel.store.NewLine;
import dev.semel.store.Operation;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settlement;
import dev.semel.store.StoredFlow;
import dev.semel.store.Submitted.Signalled;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The laws of the ends of workflows: F10 to F12. */
public abstract class WorkflowEndContract extends WorkflowStoreContract {

    /** For subclasses. */
    protected WorkflowEndContract() {}

    @Test
    @DisplayName("F10: a step that is given up is cancelled if the workflow created it and no other one watches it")
    void givenUp() {
        Lease lease = running();
        TaskId pending = start(lease, STEP.queue("p"));
        TaskId running = start(lease, STEP);
        Lease its = claimOne();
        applied(advance(lease, 3, new NewLine.Abandon(Draft.TYPE, pending), new NewLine.Abandon(Draft.TYPE, running)));
        assertThat(state(pending)).isEqualTo(TaskState.CANCELLED);
        assertThat(inbox(lease.taskId())).extracting(InboxEntry::step).containsExactly(pending);
        assertThat(read(running).progress().cancelRequested()).isTrue();
        applied(new Settlement.Cancelled(its));
        assertThat(inbox(lease.taskId())).extracting(InboxEntry::step).containsExactly(pending, running);
        assertThat(history(lease.taskId()).lines().getLast())
                .isEqualTo(new HistoryLine(4, Kind.ABANDONED, Draft.TYPE, running, null, clock.instant()));
    }

    @Test
    @DisplayName("F10: a step that others want, or that the workflow did not create, goes on, and an entry says so")
    void leftToOthers() {
        TaskId stranger = create(STEP.queue("s").key("stranger"));
        Lease lease = running();
        start(lease, STEP.queue("s").key("stranger"));
        TaskId shared = start(lease, STEP.queue("s").key("shared"));
        create(WORKFLOW);
        Lease other = claimFlow();
        start(other, STEP.queue("s").key("shared"));
        applied(advance(lease, 3, new NewLine.Abandon(Draft.TYPE, stranger), new NewLine.Abandon(Draft.TYPE, shared)));
        assertThat(state(stranger)).isEqualTo(TaskState.PENDING);
        assertThat(state(shared)).isEqualTo(TaskState.PENDING);
        assertThat(inbox(lease.taskId())).hasSize(2).allMatch(entry -> entry.state() == TaskState.CANCELLED);
        claim(ClaimDraft.from("s")).tasks().forEach(claimed -> applied(new Settlement.Complete(claimed.lease(), "1")));
        assertThat(inbox(lease.taskId())).hasSize(2);
        assertThat(inbox(other.taskId())).hasSize(1);
    }

    @Test
    @DisplayName(
            "F10: a workflow that is a step and has begun is asked to cancel, once, and its end is an entry; one that has not begun ends at once")
    void childGivenUp() {
        Lease lease = running();
        TaskId begun = start(lease, WORKFLOW.queue("children"));
        Lease child = claim(ClaimDraft.from("children")).tasks().getFirst().lease();
        TaskId early = start(lease, WORKFLOW.queue("early"));
        applied(await(child, 0, 1));
        assertThat(state(begun)).isEqualTo(TaskState.WAITING);
        NewLine.Abandon abandon = new NewLine.Abandon(TYPE, begun);
        applied(advance(lease, 3, abandon, abandon, new NewLine.Abandon(TYPE, early)));
        assertThat(state(begun)).isEqualTo(TaskState.PENDING);
        assertThat(read(begun).progress().cancelRequested()).isFalse();
        assertThat(inbox(begun)).extracting(InboxEntry::name).containsExactly(StoredFlow.CANCEL);
        assertThat(state(early)).isEqualTo(TaskState.CANCELLED);
        assertThat(inbox(lease.taskId())).extracting(InboxEntry::step).containsExactly(early);
        Lease cleaning = claim(ClaimDraft.from("children")).tasks().getFirst().lease();
        applied(advance(cleaning, 1, value("undone")));
        applied(new Settlement.Cancelled(cleaning));
        assertThat(inbox(lease.taskId())).extracting(InboxEntry::step).containsExactly(early, begun);
        assertThat(inbox(lease.taskId()).getLast().state()).isEqualTo(TaskState.CANCELLED);
    }

    @Test
    @DisplayName("F23: an answer is a line and an entry, and a question is answered once, in a later generation too")
    void answered() {
        Lease lease = running();
        TaskId id = lease.taskId();
        signal(id, "q1", "$ask:total", "{}");
        NewLine.Answer answer = new NewLine.Answer("[1,1]", "q1", "7", null);
        Settlement.Advance advance = advance(lease, 1, answer);
        applied(advance);
        changesNothing(() -> applied(advance));
        assertThat(history(id).lines()).singleElement().satisfies(line -> {
            assertThat(line.kind()).isEqualTo(Kind.VALUE);
            assertThat(line.name()).isEqualTo(NewLine.Answer.NAME);
            assertThat(line.document()).isEqualTo("[1,1]");
        });
        InboxEntry entry = inbox(id).getLast();
        assertThat(entry.key()).isEqualTo(NewLine.Answer.entryKey("q1"));
        assertThat(entry.document()).isEqualTo("7");
        applied(advance(lease, 2, new NewLine.Answer("[1,2]", "q1", "8", null)));
        assertThat(history(id).lines()).hasSize(2);
        assertThat(inbox(id)).hasSize(2);
        signal(id, "q2", "$ask:total", "{}");
        applied(advance(lease, 3, new NewLine.Answer("[3,3]", "q2", null, "no")));
        assertThat(inbox(id).getLast().error()).isEqualTo("no");
        applied(await(lease, 4, 1));
        assertThat(state(id)).isEqualTo(TaskState.WAITING);
        applied(new Operation.Restart(id, 1, 0));
        Lease again = claimFlow();
        applied(advance(again, 1, new NewLine.Answer("[1,1]", "q1", "9", null)));
        assertThat(inbox(id))
                .filteredOn(one -> NewLine.Answer.entryKey("q1").equals(one.key()))
                .containsExactly(entry);
        applied(new Settlement.Continue(again, 5, List.of(), "1", clock.instant()));
        assertThat(inbox(id)).contains(entry);
        changesNothing(() -> assertThat(signal(id, "q1", "$ask:total", "{}")).isEqualTo(Signalled.ACCEPTED));
    }

    @Test
    @DisplayName("F10: a step that has ended is given up in vain")
    void givenUpTooLate() {
        Lease lease = running();
        TaskId step = start(lease, STEP);
        complete(step);
        applied(advance(lease, 2, new NewLine.Abandon(Draft.TYPE, step)));
        assertThat(state(step)).isEqualTo(TaskState.COMPLETED);
        assertThat(inbox(lease.taskId())).hasSize(1);
    }

    @Test
    @DisplayName("F11: a workflow that waits or sleeps is ended at once by a cancellation of its task")
    void terminated() {
        for (Instant until : Arrays.asList(null, clock.instant().plusSeconds(100))) {
            Lease lease = running();
            start(lease, STEP);
            applied(new Settlement.Wait(lease, 0, 1, until, null));
            applied(new Operation.Cancel(lease.taskId()));
            assertThat(state(lease.taskId())).isEqualTo(TaskState.CANCELLED);
            assertThat(signal(lease.taskId())).isEqualTo(Signalled.ENDED);
        }
    }

    @Test
    @DisplayName("F11: a step that ends while its workflow is dead is there when the workflow is redriven")
    void endsWhileDead() {
        Lease lease = running();
        TaskId step = start(lease, STEP);
        applied(await(lease, 0, 1));
        signal(lease.taskId());
        applied(new Settlement.Fail(claimFlow(), false, "broken"));
        complete(step);
        assertThat(state(lease.taskId())).isEqualTo(TaskState.FAILED);
        noFlowIsDue();
        applied(new Operation.Redrive(lease.taskId(), 2));
        Lease again = claimFlow();
        assertThat(inbox(lease.taskId())).hasSize(2);
        applied(await(again, 1, 1));
        assertThat(state(lease.taskId())).isEqualTo(TaskState.PENDING);
    }

    @Test
    @DisplayName("F11: a workflow that was asked to cancel while it ran is cancelled by its wait")
    void terminatedWhileRunning() {
        Lease lease = running();
        apply(new Operation.Cancel(lease.taskId()));
        Settlement.Wait wait = await(lease, 0, 1);
        applied(wait);
        assertThat(state(lease.taskId())).isEqualTo(TaskState.CANCELLED);
        changesNothing(() -> applied(wait));
    }

    @Test
    @DisplayName("F12: a history is kept as long as its task, and deleted with it")
    void keptWithItsTask() {
        Lease lease = running();
        start(lease, STEP.queue("later"));
        signal(lease.taskId());
        applied(new Settlement.Complete(lease, "1"));
        clock.advance(Duration.ofDays(6));
        store.sweep(WEEK);
        assertThat(history(lease.taskId()).lines()).hasSize(1);
        clock.advance(Duration.ofDays(2));
        store.sweep(WEEK);
        assertThat(store.find(List.of(lease.taskId()))).isEmpty();
        assertThat(history(lease.taskId()).lines()).isEmpty();
        assertThat(inbox(lease.taskId())).isEmpty();
        claim(ClaimDraft.from("later"))
                .tasks()
                .forEach(claimed -> applied(new Settlement.Complete(claimed.lease(), null)));
    }

    @Test
    @DisplayName("W5, F12: a history is erased with its workflow; what its steps stored is their own")
    void erasedWithItsTask() {
        Lease lease = running();
        start(lease, STEP);
        signal(lease.taskId());
        applied(await(lease, 0, 2));
        Lease step = claimOne();
        applied(new Settlement.Complete(step, "1"));
        applied(new Settlement.Complete(claimFlow(), "2"));
        applied(new Operation.Erase(lease.taskId()));
        assertThat(history(lease.taskId()).lines()).isEmpty();
        assertThat(inbox(lease.taskId())).isEmpty();
        assertThat(store.find(List.of(lease.taskId(), step.taskId()))).containsOnlyKeys(step.taskId());
    }

    @Test
    @DisplayName("F12: where a queue keeps nothing, a history is deleted with the end of its workflow")
    void notKept() {
        set(FLOWS, QueueSettings.builder().retention(Duration.ZERO));
        Lease lease = running();
        start(lease, STEP);
        applied(await(lease, 0, 1));
        applied(new Settlement.Complete(claimOne(), "1"));
        applied(new Settlement.Complete(claimFlow(), "2"));
        assertThat(history(lease.taskId()).lines()).isEmpty();
        assertThat(inbox(lease.taskId())).isEmpty();
    }

    @Test
    @DisplayName("F12: documents and names are returned as they were stored, by every handle")
    void returnedAsStored() {
        Lease lease = running();
        String document = "{\"text\":\"ä\\u0000\\\"\",\"list\":[1,2.50,null]}";
        applied(advance(lease, 1, new NewLine.Note(Kind.PUBLISHED, "stage", document)));
        signal(lease.taskId(), "schlüssel ✓", "$cancel", document);
        History read = Objects.requireNonNull(another()
                .histories(List.of(History.Query.whole(lease.taskId())))
                .get(lease.taskId()));
        assertThat(read.lines().getFirst().document()).isEqualTo(document);
        assertThat(read.inbox().getFirst().document()).isEqualTo(document);
        assertThat(read.inbox().getFirst().key()).isEqualTo("schlüssel ✓");
        assertThat(read.inbox().getFirst().name()).isEqualTo("$cancel");
    }
}
