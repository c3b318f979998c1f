package dev.semel.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Attempt.Outcome;
import dev.semel.store.AttemptEnd.Ended;
import dev.semel.store.AttemptEnd.Next;
import dev.semel.store.AttemptEnd.Parked;
import dev.semel.store.AttemptEnd.Pending;
import dev.semel.store.Task.Progress;
import dev.semel.task.EffectId;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of the end of an attempt. The expectations are written from the laws, not from the function. */
class AttemptEndTest {

    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05.006Z");
    private static final Instant LEASE_END = NOW.plusSeconds(30);
    private static final Lease LEASE = new Lease(new TaskId(new UUID(1, 2)), 3, 1);
    private static final Next CANCELLED = new Ended(TaskState.CANCELLED, null);

    private static final Settlement.Ending COMPLETE = new Settlement.Complete(LEASE, "\"done\"");
    private static final Settlement.Ending RETRY = new Settlement.Retry(LEASE, Duration.ofSeconds(7), "again");
    private static final Settlement.Ending FAIL = new Settlement.Fail(LEASE, false, "broken");
    private static final Settlement.Ending TIME_OUT = new Settlement.Fail(LEASE, true, "too slow");
    private static final Settlement.Ending PUT_BACK = new Settlement.PutBack(LEASE, Duration.ofSeconds(9));
    private static final Settlement.Ending CANCEL = new Settlement.Cancelled(LEASE);
    private static final Settlement.Ending PARK =
            new Settlement.Park(LEASE, new EffectId(LEASE.taskId(), "charge", 0), "unknown");

    private static final Settlement.Ending WAIT = new Settlement.Wait(LEASE, 0, 1, null, null);
    private static final Settlement.Ending SLEEP = new Settlement.Wait(LEASE, 0, 1, NOW.plusSeconds(5), "stuck");

    /** Ending, whether its effect is unresolved, outcome, error, failures, what follows, what follows if asked to cancel. */
    static Stream<Arguments> cells() {
        Next done = new Ended(TaskState.COMPLETED, "\"done\"");
        return Stream.of(
                Arguments.of(COMPLETE, false, Outcome.COMPLETED, null, 0, done, done),
                Arguments.of(RETRY, false, Outcome.RETRIED, "again", 1, pendingIn(7), CANCELLED),
                Arguments.of(FAIL, false, Outcome.FAILED, "broken", 1, ended(TaskState.FAILED), CANCELLED),
                Arguments.of(TIME_OUT, false, Outcome.TIMED_OUT, "too slow", 1, ended(TaskState.TIMED_OUT), CANCELLED),
                Arguments.of(PUT_BACK, false, Outcome.PUT_BACK, null, 0, pendingIn(9), CANCELLED),
                Arguments.of(CANCEL, false, Outcome.CANCELLED, null, 0, CANCELLED, CANCELLED),
                Arguments.of(PARK, false, Outcome.PARKED, "unknown", 0, pendingIn(0), CANCELLED),
                Arguments.of(PARK, true, Outcome.PARKED, "unknown", 0, new Parked(), CANCELLED),
                Arguments.of(WAIT, false, Outcome.WAITED, null, 0, pendingIn(0), CANCELLED),
                Arguments.of(WAIT, true, Outcome.WAITED, null, 0, new AttemptEnd.Listening(), CANCELLED),
                Arguments.of(SLEEP, false, Outcome.WAITED, "stuck", 0, pendingIn(0), CANCELLED),
                Arguments.of(SLEEP, true, Outcome.WAITED, "stuck", 0, pendingIn(5), CANCELLED));
    }

    @ParameterizedTest
    @MethodSource("cells")
    void everyEndDoesWhatTheLawsSay(
            Settlement.Ending ending,
            boolean unresolved,
            Outcome outcome,
            @Nullable String error,
            int failures,
            Next next,
            Next ifAsked) {
        assertThat(AttemptEnd.of(ending, false, unresolved, NOW))
                .isEqualTo(new AttemptEnd(outcome, error, failures, 0, next));
        assertThat(AttemptEnd.of(ending, true, unresolved, NOW))
                .isEqualTo(new AttemptEnd(outcome, error, failures, 0, ifAsked));
    }

    @Test
    void onlyAParkDependsOnAnEffect() {
        for (Settlement.Ending ending : new Settlement.Ending[] {COMPLETE, RETRY, FAIL, TIME_OUT, PUT_BACK, CANCEL}) {
            for (boolean asked : new boolean[] {false, true}) {
                assertThat(AttemptEnd.of(ending, asked, true, NOW)).isEqualTo(AttemptEnd.of(ending, asked, false, NOW));
            }
        }
    }

    @Test
    void aVanishedAttemptIsCountedAndTheTaskIsDueUnlessItIsToBeCancelled() {
        assertThat(AttemptEnd.vanished(false, NOW))
                .isEqualTo(new AttemptEnd(Outcome.VANISHED, null, 0, 1, pendingIn(0)));
        assertThat(AttemptEnd.vanished(true, NOW)).isEqualTo(new AttemptEnd(Outcome.VANISHED, null, 0, 1, CANCELLED));
    }

    @Test
    void aDueTimeIsCutToMilliseconds() {
        Settlement.Ending retry = new Settlement.Retry(LEASE, Duration.ofNanos(2_999_999), "again");
        assertThat(AttemptEnd.of(retry, false, false, NOW).next()).isEqualTo(new Pending(NOW.plusMillis(2)));
    }

    @Test
    void theProgressAfterAnEndCountsOnFromThatBefore() {
        Progress before = running("before");
        assertThat(AttemptEnd.of(COMPLETE, true, false, NOW).after(before, NOW))
                .isEqualTo(new Progress(TaskState.COMPLETED, 3, 4, 5, null, true, NOW, "\"done\"", "before"));
        assertThat(AttemptEnd.of(RETRY, false, false, NOW).after(before, NOW))
                .isEqualTo(new Progress(TaskState.PENDING, 3, 5, 5, NOW.plusSeconds(7), true, null, null, "again"));
        assertThat(AttemptEnd.of(PARK, false, true, NOW).after(before, NOW))
                .isEqualTo(new Progress(TaskState.WAITING, 3, 4, 5, LEASE_END, true, null, null, "unknown"));
        assertThat(AttemptEnd.vanished(true, NOW).after(before, NOW))
                .isEqualTo(new Progress(TaskState.CANCELLED, 3, 4, 6, null, true, NOW, null, "before"));
    }

    private static Progress running(String lastError) {
        return new Progress(TaskState.RUNNING, 3, 4, 5, LEASE_END, true, null, null, lastError);
    }

    private static Next pendingIn(long seconds) {
        return new Pending(NOW.plusSeconds(seconds));
    }

    private static Next ended(TaskState state) {
        return new Ended(state, null);
    }

    @Test
    void anEndThatCancelsTimesOutATaskWhoseTimeLimitHasPassed() {
        AttemptEnd cancelled = AttemptEnd.of(RETRY, true, false, NOW);
        assertThat(cancelled.ifOverdue(null)).isEqualTo(cancelled);
        AttemptEnd late = cancelled.ifOverdue("late");
        assertThat(late.next()).isEqualTo(new Ended(TaskState.TIMED_OUT, null));
        assertThat(late.error()).isEqualTo("late " + cancelled.error());
        assertThat(late.failures()).isEqualTo(1);
        assertThat(AttemptEnd.vanished(true, NOW).ifOverdue("late").error()).isEqualTo("late");
        AttemptEnd completed = AttemptEnd.of(COMPLETE, true, false, NOW);
        assertThat(completed.ifOverdue("late")).isEqualTo(completed);
    }
}
