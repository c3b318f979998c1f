package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Continuation;
import dev.semel.store.Generation;
import dev.semel.store.History;
import dev.semel.store.HistoryLine;
import dev.semel.store.InboxEntry;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.StoredFlow;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.Signalled;
import dev.semel.store.Task;
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

/** The laws of workflows that continue as new: F21 and F22. */
public abstract class ContinuationContract extends WorkflowStoreContract {

    private static final String INPUT = "{\"exact\":12345678901234567890,\"none\":null,\"page\":2}";

    /** For subclasses. */
    protected ContinuationContract() {}

    private Settlement.Continue anew(Lease lease, int seen, Integer... unread) {
        return new Settlement.Continue(lease, seen, List.of(unread), INPUT, clock.instant());
    }

    @Test
    @DisplayName(
            "F21: a workflow that continues as new is the same task with another input and an empty history, due at once")
    void begins() {
        TaskId id = create(WORKFLOW.key("k"));
        Lease lease = claimFlow();
        applied(advance(lease, 1, value("a"), value("b")));
        Task before = read(id);
        clock.advance(Duration.ofSeconds(1));
        applied(anew(lease, 0));
        Task after = read(id);
        assertThat(after.input()).isEqualTo(before.input());
        assertThat(after.identity()).isEqualTo(before.identity());
        assertThat(after.state()).isEqualTo(TaskState.PENDING);
        assertThat(after.progress().dueAt()).isEqualTo(clock.instant());
        assertThat(after.progress().failures() + after.progress().vanished()).isZero();
        assertThat(store.attempts(id)).isEmpty();
        assertThat(history(id).lines()).isEmpty();
        InboxEntry entry = inbox(id).getFirst();
        assertThat(inbox(id)).hasSize(1);
        assertThat(Generation.of(entry)).contains(new Generation(2, 0, 1, clock.instant()));
        assertThat(Continuation.of(entry)).contains(new Continuation(INPUT, clock.instant(), 1));
        assertThat(submit(WORKFLOW.key("k")))
                .isInstanceOfSatisfying(
                        Submitted.Returned.class,
                        returned -> assertThat(returned.existing().taskId()).isEqualTo(id));
        Lease next = claimFlow();
        assertThat(next.attempt()).isEqualTo(2);
        applied(advance(next, 1, value("c")));
        applied(await(next, 1, 1));
        assertThat(state(id)).isEqualTo(TaskState.WAITING);
        signal(id);
        Lease third = claimFlow();
        applied(new Settlement.Complete(third, "3"));
        assertThat(read(id).progress().result()).isEqualTo("3");
        assertThat(history(id).lines()).extracting(HistoryLine::name).containsExactly("c");
    }

    @Test
    @DisplayName("F22: entries that the code has not seen or not received stay as they are, with their numbers")
    void unreadStays() {
        Lease lease = running();
        TaskId id = lease.taskId();
        signal(id, "one", "go", "1");
        signal(id, "two", "go", "2");
        TaskId step = start(lease, STEP);
        complete(step);
        signal(id, "three", "later", "3");
        signal(id, StoredFlow.CANCEL_KEY, StoredFlow.CANCEL, null);
        signal(id, "unseen", "go", "4");
        List<InboxEntry> before = inbox(id);
        assertThat(before).hasSize(6);
        applied(anew(lease, 5, 2, 4, 5));
        List<InboxEntry> after = inbox(id);
        assertThat(after).extracting(InboxEntry::number).containsExactly(1, 2, 4, 5, 6, 7);
        for (InboxEntry entry : after) {
            if (entry.number() > 1 && entry.number() < 7) {
                assertThat(entry).isEqualTo(before.get(entry.number() - 1));
            }
        }
        assertThat(after.getFirst().name()).isEqualTo(Continuation.RECEIVED);
        assertThat(after.getFirst().key()).isEqualTo("one");
        assertThat(after.getFirst().document()).isNull();
        assertThat(history(id).lines()).isEmpty();
        assertThat(historyAfter(id, 0, 4)).extracting(InboxEntry::number).containsExactly(5, 6, 7);
    }

    private List<InboxEntry> historyAfter(TaskId id, int lines, int entries) {
        return Objects.requireNonNull(store.histories(List.of(new History.Query(id, lines, entries)))
                        .get(id))
                .inbox();
    }

    @Test
    @DisplayName("F22: a signal that an earlier generation has received is still recognised by its key")
    void keysAreRecognised() {
        Lease lease = running();
        TaskId id = lease.taskId();
        signal(id, "one", "go", "1");
        applied(anew(lease, 1));
        changesNothing(() -> assertThat(signal(id, "one", "go", "1")).isEqualTo(Signalled.ACCEPTED));
        Lease second = claimFlow();
        applied(anew(second, 2));
        changesNothing(() -> assertThat(signal(id, "one", "go", "1")).isEqualTo(Signalled.ACCEPTED));
        assertThat(inbox(id)).extracting(InboxEntry::number).containsExactly(1, 3);
    }

    @Test
    @DisplayName("F22: a cancellation that was delivered can be requested again")
    void cancelAgain() {
        Lease lease = running();
        TaskId id = lease.taskId();
        signal(id, StoredFlow.CANCEL_KEY, StoredFlow.CANCEL, null);
        applied(anew(lease, 1));
        assertThat(inbox(id)).extracting(InboxEntry::name).containsExactly(Generation.NAME);
        assertThat(signal(id, StoredFlow.CANCEL_KEY, StoredFlow.CANCEL, null)).isEqualTo(Signalled.ACCEPTED);
        assertThat(inbox(id)).extracting(InboxEntry::name).containsExactly(Generation.NAME, StoredFlow.CANCEL);
    }

    @Test
    @DisplayName("F21: sent again it is applied once, and a zombie of the earlier generation changes nothing")
    void once() {
        Lease lease = running();
        TaskId id = lease.taskId();
        applied(advance(lease, 1, value("a")));
        applied(anew(lease, 0));
        changesNothing(() -> applied(anew(lease, 0)));
        changesNothing(
                () -> assertThat(apply(advance(lease, 2, value("zombie")))).isEqualTo(Settled.STALE));
        Lease next = claimFlow();
        changesNothing(() -> applied(anew(lease, 0)));
        applied(advance(next, 1, value("b")));
        changesNothing(
                () -> assertThat(apply(new Settlement.Complete(lease, null))).isEqualTo(Settled.STALE));
        changesNothing(
                () -> assertThat(apply(advance(lease, 2, value("zombie")))).isEqualTo(Settled.STALE));
        applied(anew(next, 1));
        assertThat(Generation.all(inbox(id))).extracting(Generation::number).containsExactly(3);
    }

    @Test
    @DisplayName("F19: a restart of a generation that the code itself has ended is stale, also one that keeps nothing")
    void restartOfAnEndedGeneration() {
        Lease lease = running();
        applied(advance(lease, 1, value("a")));
        applied(anew(lease, 0));
        changesNothing(() -> assertThat(store.operate(List.of(new Operation.Restart(lease.taskId(), 1, 0))))
                .containsExactly(Operated.STALE));
    }

    @Test
    @DisplayName("F21: a workflow whose task is to be cancelled is cancelled instead, with its history")
    void cancelledInstead() {
        Lease lease = running();
        TaskId id = lease.taskId();
        applied(advance(lease, 1, value("a")));
        assertThat(store.submit(List.of(new SubmitRequest.Cancel(id))))
                .containsExactly(Submitted.Cancellation.REQUESTED);
        applied(anew(lease, 0));
        assertThat(state(id)).isEqualTo(TaskState.CANCELLED);
        assertThat(history(id).lines()).hasSize(1);
        assertThat(inbox(id)).isEmpty();
    }

    @Test
    @DisplayName("F21: those who watch the workflow, and steps of the earlier generation, do not notice")
    void watchersStay() {
        Lease parent = running();
        Lease lease = child(parent);
        TaskId id = lease.taskId();
        TaskId late = start(lease, STEP);
        applied(anew(lease, 0));
        Lease next = claimChild();
        complete(late);
        assertThat(inbox(id).getLast().step()).isEqualTo(late);
        applied(new Settlement.Complete(next, "7"));
        assertThat(inbox(parent.taskId())).singleElement().satisfies(entry -> {
            assertThat(entry.step()).isEqualTo(id);
            assertThat(entry.document()).isEqualTo("7");
        });
    }

    private Lease child(Lease parent) {
        TaskId unused = start(parent, WORKFLOW.queue("children"));
        return claimChild();
    }

    private Lease claimChild() {
        return claim(ClaimDraft.from("children")).tasks().getFirst().lease();
    }

    @Test
    @DisplayName("F21: a restart of a workflow that has continued as new keeps its input and what it has not received")
    void restarted() {
        Lease lease = running();
        TaskId id = lease.taskId();
        signal(id, "one", "go", "1");
        applied(anew(lease, 1));
        Lease next = claimFlow();
        applied(advance(next, 1, value("a"), value("b")));
        applied(new Settlement.Fail(next, false, "bad"));
        applied(new Operation.Restart(id, 2, 2));
        assertThat(history(id).lines()).extracting(HistoryLine::name).containsExactly("a");
        assertThat(Generation.all(inbox(id))).extracting(Generation::number).containsExactly(2, 3);
        assertThat(inbox(id).stream().flatMap(entry -> Continuation.of(entry).stream()))
                .extracting(Continuation::input)
                .containsExactly(INPUT);
    }

    @Test
    @DisplayName("F22: of signals that are sent while a workflow continues as new none is lost")
    void atOnce() throws Exception {
        Lease lease = running();
        TaskId id = lease.taskId();
        List<Callable<Boolean>> calls = new ArrayList<>();
        calls.add(() -> store.settle(List.of(anew(lease, 0))).getFirst() == Settled.APPLIED);
        for (int i = 0; i < 12; i++) {
            SubmitRequest.Signal one = new SubmitRequest.Signal(id, "key" + i, "go", "" + i);
            boolean other = i % 2 == 0;
            calls.add(() -> (other ? another() : store).submit(List.of(one)).getFirst() == Signalled.ACCEPTED);
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(calls.size())) {
            for (Future<Boolean> answer : threads.invokeAll(calls)) {
                assertThat(answer.get()).isTrue();
            }
        }
        assertThat(inbox(id)).hasSize(13);
        assertThat(inbox(id))
                .extracting(InboxEntry::name)
                .filteredOn("go"::equals)
                .hasSize(12);
        assertThat(state(id)).isEqualTo(TaskState.PENDING);
    }
}
