package dev.semel.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.task.Decision.Existing;
import dev.semel.task.Decision.Request;
import dev.semel.task.ReusePolicy.AfterEnd;
import dev.semel.task.ReusePolicy.OtherInput;
import dev.semel.task.ReusePolicy.WhileOpen;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of the decision. The expectations are written from the specification, not from the function. */
class DecisionTest {

    private static final InputHash SAME = hash(1);
    private static final InputHash OTHER = hash(2);
    private static final Request REQUEST = new Request("charge", SAME);

    @Test
    void withoutARecordATaskIsCreated() {
        assertThat(Decision.decide(null, REQUEST, ReusePolicy.never())).isEqualTo(new Decision.Create());
    }

    @ParameterizedTest
    @EnumSource(TaskState.class)
    void aPassedWindowFreesTheIdentityOnlyOnceTheTaskHasEnded(TaskState state) {
        Decision decision = Decision.decide(existing(state, SAME, true), REQUEST, ReusePolicy.never());
        assertThat(decision).isEqualTo(state.isOpen() ? new Decision.Return(false) : new Decision.Create());
    }

    static Stream<TaskState> openStates() {
        return Arrays.stream(TaskState.values()).filter(TaskState::isOpen);
    }

    static Stream<TaskState> unsuccessfulStates() {
        return Stream.of(TaskState.FAILED, TaskState.CANCELLED, TaskState.TIMED_OUT);
    }

    @ParameterizedTest
    @MethodSource("openStates")
    void anOpenTaskIsReturnedRejectedOrReplaced(TaskState state) {
        assertThat(decide(state, SAME, open(WhileOpen.RETURN))).isEqualTo(new Decision.Return(false));
        assertThat(decide(state, SAME, open(WhileOpen.REJECT))).isEqualTo(new Decision.Reject(false));
        assertThat(decide(state, SAME, open(WhileOpen.REPLACE))).isEqualTo(new Decision.Replace(4));
    }

    @Test
    void aCompletedTaskIsReturnedRejectedOrRunAgainAsNewWork() {
        assertThat(decide(TaskState.COMPLETED, SAME, completed(AfterEnd.RETURN)))
                .isEqualTo(new Decision.Return(false));
        assertThat(decide(TaskState.COMPLETED, SAME, completed(AfterEnd.REJECT)))
                .isEqualTo(new Decision.Reject(false));
        assertThat(decide(TaskState.COMPLETED, SAME, completed(AfterEnd.RERUN)))
                .isEqualTo(new Decision.Rerun(4, false));
    }

    @ParameterizedTest
    @MethodSource("unsuccessfulStates")
    void aTaskWithoutSuccessIsRunAgainInItsLineageOrReturnedOrRejected(TaskState state) {
        assertThat(decide(state, SAME, unsuccessful(AfterEnd.RERUN))).isEqualTo(new Decision.Rerun(4, true));
        assertThat(decide(state, SAME, unsuccessful(AfterEnd.RETURN))).isEqualTo(new Decision.Return(false));
        assertThat(decide(state, SAME, unsuccessful(AfterEnd.REJECT))).isEqualTo(new Decision.Reject(false));
    }

    @Test
    void eachEndWithoutSuccessHasARuleOfItsOwn() {
        ReusePolicy policy = new ReusePolicy(
                WhileOpen.RETURN,
                WhileOpen.REJECT,
                WhileOpen.REPLACE,
                AfterEnd.RETURN,
                AfterEnd.RERUN,
                AfterEnd.REJECT,
                AfterEnd.RETURN,
                OtherInput.CONFLICT);
        assertThat(Arrays.stream(TaskState.values())
                        .map(state -> decide(state, SAME, policy))
                        .toList())
                .isEqualTo(List.of(
                        new Decision.Return(false),
                        new Decision.Reject(false),
                        new Decision.Replace(4),
                        new Decision.Return(false),
                        new Decision.Rerun(4, true),
                        new Decision.Reject(false),
                        new Decision.Return(false)));
    }

    @ParameterizedTest
    @EnumSource(TaskState.class)
    void otherInputIsAConflictByDefault(TaskState state) {
        assertThat(decide(state, OTHER, ReusePolicy.allowFailedOnly())).isEqualTo(new Decision.Conflict());
        assertThat(decide(state, OTHER, ReusePolicy.never())).isEqualTo(new Decision.Conflict());
    }

    @Test
    void anotherTypeUnderTheSameIdentityIsAConflictToo() {
        Existing refund = new Existing("refund", SAME, TaskState.PENDING, 3, false);
        assertThat(Decision.decide(refund, REQUEST, ReusePolicy.allowFailedOnly()))
                .isEqualTo(new Decision.Conflict());
    }

    @Test
    void replaceAndRerunAfterSuccessTakeTheNewInput() {
        assertThat(decide(TaskState.RUNNING, OTHER, open(WhileOpen.REPLACE))).isEqualTo(new Decision.Replace(4));
        assertThat(decide(TaskState.COMPLETED, OTHER, completed(AfterEnd.RERUN)))
                .isEqualTo(new Decision.Rerun(4, false));
    }

    @Test
    void aRerunAfterFailureComparesTheInput() {
        assertThat(decide(TaskState.FAILED, OTHER, ReusePolicy.afterFinish())).isEqualTo(new Decision.Conflict());
    }

    @ParameterizedTest
    @EnumSource(TaskState.class)
    void aWarningReturnsTheExistingTaskAndSaysSo(TaskState state) {
        ReusePolicy policy = ReusePolicy.allowFailedOnly().onOtherInput(OtherInput.WARN);
        assertThat(decide(state, OTHER, policy)).isEqualTo(new Decision.Return(true));
    }

    @Test
    void aWarningDoesNotTurnARejectionIntoAnAnswer() {
        ReusePolicy policy = open(WhileOpen.REJECT).onOtherInput(OtherInput.WARN);
        assertThat(decide(TaskState.PENDING, OTHER, policy)).isEqualTo(new Decision.Reject(true));
    }

    @Test
    void ignoredInputCountsAsTheSame() {
        ReusePolicy policy = ReusePolicy.allowFailedOnly().onOtherInput(OtherInput.IGNORE);
        assertThat(decide(TaskState.PENDING, OTHER, policy)).isEqualTo(new Decision.Return(false));
        assertThat(decide(TaskState.FAILED, OTHER, policy)).isEqualTo(new Decision.Rerun(4, true));
    }

    private static Decision decide(TaskState state, InputHash hash, ReusePolicy policy) {
        return Decision.decide(existing(state, hash, false), REQUEST, policy);
    }

    private static Existing existing(TaskState state, InputHash hash, boolean windowPassed) {
        return new Existing("charge", hash, state, 3, windowPassed);
    }

    private static ReusePolicy open(WhileOpen rule) {
        return ReusePolicy.of(rule, AfterEnd.RETURN, AfterEnd.RETURN);
    }

    private static ReusePolicy completed(AfterEnd rule) {
        return ReusePolicy.of(WhileOpen.RETURN, rule, AfterEnd.RETURN);
    }

    private static ReusePolicy unsuccessful(AfterEnd rule) {
        return ReusePolicy.of(WhileOpen.RETURN, AfterEnd.RETURN, rule);
    }

    private static InputHash hash(int fill) {
        byte[] bytes = new byte[32];
        bytes[0] = (byte) fill;
        return InputHash.ofBytes(bytes);
    }
}
