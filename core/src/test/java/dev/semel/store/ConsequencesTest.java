package dev.semel.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.task.TaskState;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of what follows from a change of state. The expectations are written from the laws, not from the function. */
class ConsequencesTest {

    private static final Set<TaskState> ENDS =
            Set.of(TaskState.COMPLETED, TaskState.FAILED, TaskState.CANCELLED, TaskState.TIMED_OUT);

    private static final QueueSettings LIMITED =
            QueueSettings.builder().concurrency(1).build();
    private static final QueueSettings BARE =
            QueueSettings.builder().retention(Duration.ZERO).build();
    private static final QueueSettings WITH_DEAD_LETTERS =
            QueueSettings.builder().deadLetterQueue("dead").build();

    @Test
    void theSuccessorIsWokenByTheEndOfTheTaskThatItReplaces() {
        for (TaskState before : TaskState.values()) {
            for (TaskState after : TaskState.values()) {
                boolean expected = before.isOpen() && ENDS.contains(after);
                assertThat(Consequences.of(before, after, QueueSettings.NONE).wakesSuccessor())
                        .as("%s to %s", before, after)
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void aMutexIsFreedWhenItsTaskStopsRunningOrWillNotRun() {
        for (TaskState before : TaskState.values()) {
            for (TaskState after : TaskState.values()) {
                boolean expected = switch (before) {
                    case RUNNING -> after != TaskState.RUNNING;
                    case PENDING -> ENDS.contains(after);
                    case WAITING, COMPLETED, FAILED, CANCELLED, TIMED_OUT -> false;
                };
                assertThat(Consequences.of(before, after, QueueSettings.NONE).freesMutex())
                        .as("%s to %s", before, after)
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void aPlaceIsFreeWhenATaskOfALimitedQueueStopsRunning() {
        for (TaskState before : TaskState.values()) {
            for (TaskState after : TaskState.values()) {
                boolean stops = before == TaskState.RUNNING && after != TaskState.RUNNING;
                assertThat(Consequences.of(before, after, LIMITED).freesPlace())
                        .as("%s to %s", before, after)
                        .isEqualTo(stops);
                assertThat(Consequences.of(before, after, QueueSettings.NONE).freesPlace())
                        .isFalse();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(TaskState.class)
    void dataGoesWithACompletionOrCancellationWhereNothingIsKept(TaskState after) {
        Consequences then = Consequences.of(TaskState.RUNNING, after, BARE);
        assertThat(then.strips()).isEqualTo(after == TaskState.COMPLETED || after == TaskState.CANCELLED);
        assertThat(then.forgetsEffects()).isEqualTo(after == TaskState.COMPLETED);
        Consequences kept = Consequences.of(TaskState.RUNNING, after, QueueSettings.NONE);
        assertThat(kept.strips()).isFalse();
        assertThat(kept.forgetsEffects()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(TaskState.class)
    void aDeathIsForwardedToTheDeadLetterQueue(TaskState after) {
        boolean dies = after == TaskState.FAILED || after == TaskState.TIMED_OUT;
        for (TaskState before : Set.of(TaskState.RUNNING, TaskState.WAITING)) {
            assertThat(Consequences.of(before, after, WITH_DEAD_LETTERS).deadLetterQueue())
                    .isEqualTo(dies ? "dead" : null);
            assertThat(Consequences.of(before, after, QueueSettings.NONE).deadLetterQueue())
                    .isNull();
        }
    }

    @Test
    void nothingFollowsOnceATaskHasEnded() {
        QueueSettings all = LIMITED.or(BARE).or(WITH_DEAD_LETTERS);
        for (TaskState before : ENDS) {
            for (TaskState after : TaskState.values()) {
                assertThat(Consequences.of(before, after, all))
                        .as("%s to %s", before, after)
                        .isEqualTo(new Consequences(false, false, false, false, false, null));
            }
        }
    }
}
