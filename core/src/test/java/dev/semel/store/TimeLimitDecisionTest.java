package dev.semel.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.TimeLimitDecision.Expire;
import dev.semel.store.TimeLimitDecision.Later;
import dev.semel.store.TimeLimitDecision.Nothing;
import dev.semel.store.TimeLimitDecision.Stop;
import dev.semel.task.InvalidInput;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TimeLimitDecisionTest {

    private static final Instant CREATED = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Instant START_BY = CREATED.plus(MINUTE);
    private static final Instant DEADLINE = CREATED.plus(HOUR);
    private static final String LATE = "The time limit passed at 2026-01-01T01:00:00Z";

    private static TimeLimits limits(@Nullable Duration total, @Nullable Duration startBy) {
        return Objects.requireNonNull(TimeLimits.of(total, startBy));
    }

    private static TimeLimitDecision decide(TaskState state, int attempt, boolean asked, Instant now) {
        return TimeLimitDecision.decide(limits(HOUR, MINUTE), CREATED, state, attempt, asked, now);
    }

    @Test
    void beforeTheLimitsPassNothingHappens() {
        for (TaskState state : TaskState.values()) {
            Object unstarted = state.isOpen() ? new Later(START_BY) : new Nothing();
            Object started = state.isOpen() ? new Later(DEADLINE) : new Nothing();
            assertThat(decide(state, 0, false, START_BY.minusMillis(1))).isEqualTo(unstarted);
            assertThat(decide(state, 1, false, DEADLINE.minusMillis(1))).isEqualTo(started);
            assertThat(TimeLimitDecision.decide(null, CREATED, state, 0, false, DEADLINE))
                    .isEqualTo(new Nothing());
        }
    }

    @Test
    void aTaskThatHasNotStartedExpires() {
        for (TaskState state : new TaskState[] {TaskState.PENDING, TaskState.WAITING}) {
            assertThat(decide(state, 0, false, START_BY)).isEqualTo(new Expire("Not started by 2026-01-01T00:01:00Z."));
            assertThat(decide(state, 0, false, DEADLINE))
                    .isEqualTo(new Expire(LATE + ", and the task had not started."));
            assertThat(decide(state, 1, false, START_BY)).isEqualTo(new Later(DEADLINE));
            assertThat(decide(state, 1, false, DEADLINE)).isEqualTo(new Expire(LATE + "."));
        }
    }

    @Test
    void aTaskThatRunsIsStoppedUnlessItWasAskedToCancel() {
        assertThat(decide(TaskState.RUNNING, 1, false, START_BY)).isEqualTo(new Later(DEADLINE));
        assertThat(decide(TaskState.RUNNING, 1, false, DEADLINE)).isEqualTo(new Stop(LATE + "."));
        assertThat(decide(TaskState.RUNNING, 1, true, DEADLINE)).isEqualTo(new Nothing());
    }

    @Test
    void withoutATotalATaskThatHasStartedHasNoLimit() {
        TimeLimits startBy = limits(null, MINUTE);
        assertThat(TimeLimitDecision.decide(startBy, CREATED, TaskState.PENDING, 1, false, DEADLINE))
                .isEqualTo(new Nothing());
        assertThat(startBy.next(CREATED, 1)).isNull();
        assertThat(startBy.deadline(CREATED)).isNull();
        assertThat(limits(HOUR, null).startBy(CREATED)).isNull();
    }

    @Test
    void aRedriveGivesTheSameTimeAgain() {
        TimeLimits again = limits(HOUR, MINUTE).redriven(CREATED, 3, DEADLINE);
        assertThat(again.startBy(CREATED)).isEqualTo(DEADLINE.plus(MINUTE));
        assertThat(again.deadline(CREATED)).isEqualTo(DEADLINE.plus(HOUR));
        assertThat(again.next(CREATED, 3)).isEqualTo(DEADLINE.plus(MINUTE));
        assertThat(again.next(CREATED, 4)).isEqualTo(DEADLINE.plus(HOUR));
    }

    @Test
    void limitsThatMakeNoSenseAreRejected() {
        assertThat(TimeLimits.of(null, null)).isNull();
        assertThatThrownBy(() -> new TimeLimits(null, null, Duration.ZERO, 0)).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> TimeLimits.of(Duration.ZERO, null)).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> TimeLimits.of(MINUTE, HOUR))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("PT1H");
        assertThatThrownBy(() -> new TimeLimits(HOUR, null, Duration.ZERO, -1)).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> new TaskOptions(0, null, null, null, null, WorkflowOptions.UNLIMITED)
                        .withLimits(limits(MINUTE, null)))
                .isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> new NewTask(
                        new TaskId(new UUID(0x7000L, 0x8000_0000_0000_0000L)),
                        "tenant",
                        "queue",
                        "type",
                        "1",
                        new NewTask.Start.After(MINUTE),
                        TaskOptions.NONE.withLimits(limits(HOUR, MINUTE)),
                        null))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("delay");
    }
}
