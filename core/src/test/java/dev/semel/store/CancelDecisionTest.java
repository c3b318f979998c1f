package dev.semel.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.task.TaskState;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of a request to cancel. The expectations are written from the laws, not from the function. */
class CancelDecisionTest {

    @ParameterizedTest
    @CsvSource({
        "PENDING, END, APPLIED",
        "WAITING, END, APPLIED",
        "RUNNING, ASK, CANCEL_REQUESTED",
        "CANCELLED, DONE_BEFORE, APPLIED",
        "COMPLETED, TOO_LATE, STALE",
        "FAILED, TOO_LATE, STALE",
        "TIMED_OUT, TOO_LATE, STALE"
    })
    void everyStateHasOneAnswer(TaskState state, CancelDecision decision, Operated answer) {
        assertThat(CancelDecision.of(state)).isEqualTo(decision);
        assertThat(decision.answer()).isEqualTo(answer);
    }
}
