package dev.semel.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.RedriveDecision.Letter;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of a redrive. The expectations are written from the laws, not from the function. */
class RedriveDecisionTest {

    private static final TaskId TASK = new TaskId(new UUID(1, 2));
    private static final TaskId OTHER = new TaskId(new UUID(3, 4));
    private static final Instant CREATED = Instant.parse("2026-01-02T03:04:05.006Z");
    private static final Duration TTL = Duration.ofHours(1);
    private static final Instant DURING = CREATED.plus(TTL).minusMillis(1);
    private static final Instant PASSED = CREATED.plus(TTL);
    private static final int DEATH = 3;
    private static final TaskId SERIES = Series.begunByRedrive(TASK, DEATH);

    @ParameterizedTest
    @EnumSource(TaskState.class)
    void onlyTheDeadLetterThatIsNamedRunsAgain(TaskState state) {
        RedriveDecision expected = state.isDead() ? new RedriveDecision.Run() : new RedriveDecision.NotDead();
        assertThat(decide(state, DEATH, null, DURING)).isEqualTo(expected);
        assertThat(decide(state, DEATH - 1, null, DURING)).isEqualTo(new RedriveDecision.NotDead());
        assertThat(decide(state, DEATH + 1, null, DURING)).isEqualTo(new RedriveDecision.NotDead());
    }

    @ParameterizedTest
    @EnumSource(TaskState.class)
    void aTaskThatIsNotDeadLeavesTheKeyAlone(TaskState state) {
        if (!state.isDead()) {
            RedriveDecision.Key open =
                    new RedriveDecision.Key(TTL, new KeyHolder(OTHER, TaskState.RUNNING, PASSED), true);
            assertThat(decide(state, DEATH, open, DURING)).isEqualTo(new RedriveDecision.NotDead());
        }
    }

    @Test
    void aRedriveThatWasSentBeforeIsAppliedAndAnyOtherIsStale() {
        assertThat(new RedriveDecision.NotDead().answer(true)).isEqualTo(Operated.APPLIED);
        assertThat(new RedriveDecision.NotDead().answer(false)).isEqualTo(Operated.STALE);
    }

    @Test
    void aKeyThatIsItsOwnStillIsKeptAndAPassedWindowBeginsAnew() {
        RedriveDecision.Key own = new RedriveDecision.Key(TTL, new KeyHolder(TASK, TaskState.FAILED, PASSED), false);
        assertThat(decide(own, DURING)).isEqualTo(new RedriveDecision.Run());
        assertThat(decide(own, PASSED)).isEqualTo(new RedriveDecision.RunRenewing(PASSED.plus(TTL)));
    }

    @Test
    void aFreeKeyIsTakenWithWhatIsLeftOfItsWindowOrAWholeOne() {
        RedriveDecision.Key free = new RedriveDecision.Key(TTL, null, false);
        assertThat(decide(free, DURING)).isEqualTo(new RedriveDecision.RunTaking(SERIES, PASSED));
        assertThat(decide(free, PASSED)).isEqualTo(new RedriveDecision.RunTaking(SERIES, PASSED.plus(TTL)));
    }

    @ParameterizedTest
    @EnumSource(TaskState.class)
    void aKeyOfAnotherTaskIsTakenOnceThatHasEndedAndItsWindowHasPassed(TaskState state) {
        RedriveDecision.Key held = new RedriveDecision.Key(TTL, new KeyHolder(OTHER, state, DURING), false);
        RedriveDecision free = new RedriveDecision.RunTaking(SERIES, PASSED);
        assertThat(decide(held, DURING)).isEqualTo(state.isOpen() ? new RedriveDecision.Superseded() : free);
        assertThat(decide(held, DURING.minusMillis(1))).isEqualTo(new RedriveDecision.Superseded());
    }

    @Test
    void whileAReplacedTaskStillRunsNobodyTakesTheKey() {
        KeyHolder own = new KeyHolder(TASK, TaskState.FAILED, PASSED);
        KeyHolder other = new KeyHolder(OTHER, TaskState.COMPLETED, CREATED);
        for (RedriveDecision.Key key : List.of(
                new RedriveDecision.Key(TTL, null, true),
                new RedriveDecision.Key(TTL, own, true),
                new RedriveDecision.Key(TTL, other, true))) {
            assertThat(decide(key, PASSED)).isEqualTo(new RedriveDecision.Superseded());
        }
    }

    @Test
    void theEndOfAWindowIsCutToMilliseconds() {
        RedriveDecision.Key free = new RedriveDecision.Key(Duration.ofNanos(2_999_999), null, false);
        assertThat(decide(free, CREATED)).isEqualTo(new RedriveDecision.RunTaking(SERIES, CREATED.plusMillis(2)));
    }

    private static RedriveDecision decide(RedriveDecision.Key key, Instant now) {
        return decide(TaskState.FAILED, DEATH, key, now);
    }

    private static RedriveDecision decide(
            TaskState state, int attempt, RedriveDecision.@Nullable Key key, Instant now) {
        return RedriveDecision.decide(new Letter(TASK, state, DEATH, CREATED), attempt, key, now);
    }
}
