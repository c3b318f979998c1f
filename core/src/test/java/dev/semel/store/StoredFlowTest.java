package dev.semel.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.HistoryLine.Kind;
import dev.semel.task.Lease;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The limits of a history, and what wakes a workflow: the rules that every store calls. */
class StoredFlowTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final TaskId TASK = TaskId.next(() -> NOW, new Random(1));
    private static final Lease LEASE = new Lease(TASK, 1, 1);

    private static StoredFlow flow(int lines, int inbox, long bytes) {
        return new StoredFlow(lines, inbox, 0, 0, 0, bytes, 1);
    }

    private static Settlement.Advance next(StoredFlow flow) {
        return new Settlement.Advance(
                LEASE,
                flow.lines() + 1,
                List.of(new NewLine.Note(Kind.VALUE, "a", "1"), new NewLine.Note(Kind.VALUE, "b", "2")));
    }

    private static InboxEntry ended(TaskState state) {
        return StoredFlow.ended("type", TASK, state, "1", null, NOW);
    }

    @Test
    void anAdvanceIsFullWhereItsLastLineIsBehindTheLimit() {
        StoredFlow fits = flow(Limits.HISTORY_LINES - 12, 10, 0);
        assertThat(fits.decide(next(fits))).isEqualTo(StoredFlow.Verdict.ADD);
        StoredFlow full = flow(Limits.HISTORY_LINES - 11, 10, 0);
        assertThat(full.decide(next(full))).isEqualTo(StoredFlow.Verdict.FULL);
        StoredFlow large = flow(0, 0, Limits.HISTORY_BYTES + 1L);
        assertThat(large.decide(next(large))).isEqualTo(StoredFlow.Verdict.FULL);
        assertThat(flow(0, 0, Limits.HISTORY_BYTES).decide(next(large))).isEqualTo(StoredFlow.Verdict.ADD);
    }

    @Test
    void theLimitsAreThoseOfTheSpecification() {
        assertThat(Limits.HISTORY_LINES).isEqualTo(50_000);
        assertThat(Limits.HISTORY_BYTES).isEqualTo(64L << 20);
    }

    @Test
    void aSignalToAFullWorkflowIsRefusedButNotOneThatWasAccepted() {
        StoredFlow full = flow(Limits.HISTORY_LINES - 1, 1, 0);
        assertThat(full.decide(TaskState.WAITING, false)).isEqualTo(Submitted.Signalled.FULL);
        assertThat(full.decide(TaskState.WAITING, true)).isEqualTo(Submitted.Signalled.ACCEPTED);
        assertThat(flow(0, Limits.HISTORY_LINES - 1, 0).decide(TaskState.RUNNING, false))
                .isEqualTo(Submitted.Signalled.ACCEPTED);
    }

    @Test
    void theEndOfAStepIsAddedHoweverLongTheHistoryIs() {
        StoredFlow.Appended appended =
                flow(Limits.HISTORY_LINES, 7, Limits.HISTORY_BYTES).plus(ended(TaskState.COMPLETED));
        assertThat(appended.entry().number()).isEqualTo(8);
        assertThat(appended.flow().inbox()).isEqualTo(8);
    }

    @Test
    void aWaitForAHundredStepsIsWokenOnceAndByAFailureAtOnce() {
        StoredFlow waiting = StoredFlow.NEW.waiting(new Settlement.Wait(LEASE, 0, 100, null, null));
        StoredFlow flow = waiting;
        int wakes = 0;
        for (int i = 0; i < 100; i++) {
            StoredFlow.Appended appended = flow.plus(ended(TaskState.COMPLETED));
            flow = appended.flow();
            wakes += appended.wakes() ? 1 : 0;
            assertThat(appended.wakes()).isEqualTo(i == 99);
        }
        assertThat(wakes).isEqualTo(1);
        assertThat(flow.plus(ended(TaskState.FAILED)).wakes()).as("it is awake").isFalse();
        assertThat(waiting.plus(ended(TaskState.FAILED)).wakes()).isTrue();
        assertThat(waiting.plus(StoredFlow.cancellation(NOW)).wakes()).isTrue();
    }
}
