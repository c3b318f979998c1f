package dev.semel.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.StoredEffect.Standing;
import dev.semel.task.TaskState;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of where the task of an effect stands. The expectations are written from the laws, not from the function. */
class StandingTest {

    @ParameterizedTest
    @CsvSource({
        "RUNNING, true, false, AT_IT",
        "RUNNING, false, false, OPEN",
        "PENDING, true, false, OPEN",
        "PENDING, false, false, OPEN",
        "WAITING, true, true, PARKED",
        "WAITING, true, false, OPEN",
        "WAITING, false, true, OPEN",
        "WAITING, false, false, OPEN",
        "COMPLETED, true, false, OVER",
        "FAILED, true, false, OVER",
        "CANCELLED, true, false, OVER",
        "TIMED_OUT, false, false, OVER"
    })
    void everyStateHasOneStanding(TaskState state, boolean newest, boolean parked, Standing standing) {
        assertThat(Standing.of(state, newest, parked)).isEqualTo(standing);
    }
}
