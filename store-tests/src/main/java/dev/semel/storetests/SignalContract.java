package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.InboxEntry;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.StoredFlow;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted.Signalled;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The laws of signals: F9 and F13, and F6 where a wake and a wait meet. */
public abstract class SignalContract extends WorkflowStoreContract {

    /** For subclasses. */
    protected SignalContract() {}

    @Test
    @DisplayName("F9: a signal is accepted once for each key, also after a lost answer and after the end")
    void aSignalIsAcceptedOnce() {
        TaskId workflow = create(WORKFLOW);
        assertThat(signal(workflow, "k", "approved", "true")).isEqualTo(Signalled.ACCEPTED);
        changesNothing(
                () -> assertThat(signal(workflow, "k", "approved", "false")).isEqualTo(Signalled.ACCEPTED));
        assertThat(inbox(workflow))
                .containsExactly(new InboxEntry(1, "approved", null, null, "k", "true", null, clock.instant()));
        applied(new Settlement.Complete(claimFlow(), null));
        changesNothing(() -> {
            assertThat(signal(workflow, "k", "approved", "true")).isEqualTo(Signalled.ACCEPTED);
            assertThat(signal(workflow, "other", "approved", "true")).isEqualTo(Signalled.ENDED);
            assertThat(signal(ids.next(), "k", "approved", "true")).isEqualTo(Signalled.NOT_FOUND);
        });
    }

    @Test
    @DisplayName(
            "F13: a key that an earlier run has accepted is not delivered to a later one, unless it is one of Semel's own")
    void aKeyIsAcceptedOnceInAllRuns() {
        Draft draft = WORKFLOW.key("order-1");
        TaskId first = create(draft);
        assertThat(signal(first, "k", "approved", "true")).isEqualTo(Signalled.ACCEPTED);
        assertThat(signal(first, StoredFlow.RESERVED_KEYS + "cancel", "$cancel", null))
                .isEqualTo(Signalled.ACCEPTED);
        applied(new Settlement.Fail(claimFlow(), false, "broken"));
        TaskId second = create(draft);
        assertThat(second).isNotEqualTo(first);
        changesNothing(() -> assertThat(signal(second, "k", "approved", "true")).isEqualTo(Signalled.ACCEPTED));
        assertThat(signal(second, "l", "approved", "true")).isEqualTo(Signalled.ACCEPTED);
        applied(new Settlement.Fail(claimFlow(), false, "broken"));
        TaskId third = create(draft);
        changesNothing(() -> {
            assertThat(signal(third, "k", "approved", "true")).isEqualTo(Signalled.ACCEPTED);
            assertThat(signal(third, "l", "approved", "true")).isEqualTo(Signalled.ACCEPTED);
        });
        assertThat(signal(third, StoredFlow.RESERVED_KEYS + "cancel", "$cancel", null))
                .isEqualTo(Signalled.ACCEPTED);
        assertThat(inbox(third)).extracting(InboxEntry::name).containsExactly("$cancel");
        TaskId stranger = create(WORKFLOW.key("order-2"));
        assertThat(signal(stranger, "k", "approved", "true")).isEqualTo(Signalled.ACCEPTED);
        assertThat(inbox(stranger)).hasSize(1);
    }

    @Test
    @DisplayName("F9: a batch of signals is accepted in its order")
    void signalsInOrder() {
        TaskId workflow = create(WORKFLOW);
        List<SubmitRequest> batch = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            batch.add(new SubmitRequest.Signal(workflow, "k" + i, "n", Integer.toString(i)));
        }
        assertThat(store.submit(batch)).allMatch(Signalled.ACCEPTED::equals);
        assertThat(inbox(workflow))
                .extracting(InboxEntry::document)
                .isEqualTo(batch.stream()
                        .map(one -> ((SubmitRequest.Signal) one).document())
                        .toList());
    }

    @Test
    @DisplayName("F9: of many threads that send and wake, no entry is lost and no number is given twice")
    void manySenders() {
        Lease lease = running();
        applied(await(lease, 0, 1));
        try (Crowd crowd = new Crowd(8)) {
            crowd.together(n -> {
                for (int i = 0; i < 25; i++) {
                    assertThat(signal(lease.taskId(), n + "-" + i, "n", null)).isEqualTo(Signalled.ACCEPTED);
                }
                return n;
            });
        }
        assertThat(inbox(lease.taskId()))
                .extracting(InboxEntry::number)
                .isEqualTo(IntStream.rangeClosed(1, 200).boxed().toList());
        assertThat(claimFlow().attempt()).isEqualTo(2);
    }

    @Test
    @DisplayName("F6: a wake and a wait that meet never leave a workflow waiting that has something to read")
    void wakesAndWaitsMeet() {
        for (int round = 0; round < 20; round++) {
            Lease lease = running();
            TaskId step = start(lease, STEP);
            Lease its = claimOne();
            assertThat(its.taskId()).isEqualTo(step);
            try (Crowd crowd = new Crowd(2)) {
                crowd.together(n -> apply(n == 0 ? await(lease, 0, 1) : new Settlement.Complete(its, null)))
                        .forEach(answer -> assertThat(answer).isEqualTo(Settled.APPLIED));
            }
            assertThat(state(lease.taskId())).isEqualTo(TaskState.PENDING);
            applied(new Settlement.Complete(claimFlow(), null));
        }
    }
}
