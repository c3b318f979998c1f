package dev.semel.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.task.ReusePolicy.AfterEnd;
import dev.semel.task.ReusePolicy.OtherInput;
import dev.semel.task.ReusePolicy.WhileOpen;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReusePolicyTextTest {

    @Test
    void aPresetIsOneWord() {
        assertThat(ReusePolicy.parse("allow_failed_only")).isEqualTo(ReusePolicy.allowFailedOnly());
        assertThat(ReusePolicy.parse("never")).isEqualTo(ReusePolicy.never());
        assertThat(ReusePolicy.parse("after_finish")).isEqualTo(ReusePolicy.afterFinish());
        assertThat(ReusePolicy.parse("  never  ")).isEqualTo(ReusePolicy.never());
    }

    @Test
    void whatIsDifferentStandsBehindThePreset() {
        ReusePolicy policy = ReusePolicy.parse("never, open=reject, completed = rerun,other_input=warn");
        assertThat(policy)
                .isEqualTo(ReusePolicy.of(WhileOpen.REJECT, AfterEnd.RERUN, AfterEnd.RETURN)
                        .onOtherInput(OtherInput.WARN));
    }

    @Test
    void withoutAPresetItBeginsWithTheDefault() {
        assertThat(ReusePolicy.parse("open=replace"))
                .isEqualTo(ReusePolicy.of(WhileOpen.REPLACE, AfterEnd.RETURN, AfterEnd.RERUN));
    }

    @Test
    void aLaterWordWinsOverAnEarlierOne() {
        ReusePolicy policy = ReusePolicy.parse("never, unsuccessful=reject, timed_out=rerun");
        assertThat(policy.failed()).isEqualTo(AfterEnd.REJECT);
        assertThat(policy.cancelled()).isEqualTo(AfterEnd.REJECT);
        assertThat(policy.timedOut()).isEqualTo(AfterEnd.RERUN);
    }

    @Test
    void everyPolicyIsReadBackAsItWasWritten() {
        for (WhileOpen pending : WhileOpen.values()) {
            for (WhileOpen waiting : WhileOpen.values()) {
                for (AfterEnd completed : AfterEnd.values()) {
                    for (AfterEnd cancelled : AfterEnd.values()) {
                        for (OtherInput otherInput : OtherInput.values()) {
                            ReusePolicy policy = new ReusePolicy(
                                    pending,
                                    WhileOpen.RETURN,
                                    waiting,
                                    completed,
                                    AfterEnd.RERUN,
                                    cancelled,
                                    AfterEnd.REJECT,
                                    otherInput);
                            assertThat(ReusePolicy.parse(policy.text())).isEqualTo(policy);
                        }
                    }
                }
            }
        }
    }

    @Test
    void aPresetIsWrittenAsItsWord() {
        assertThat(ReusePolicy.allowFailedOnly().text()).isEqualTo("allow_failed_only");
        assertThat(ReusePolicy.never().text()).isEqualTo("never");
        assertThat(ReusePolicy.afterFinish().text()).isEqualTo("after_finish");
        assertThat(ReusePolicy.never().onOtherInput(OtherInput.IGNORE).text()).contains("other_input=ignore");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "sometimes", "NEVER", "open=reject, never", "never,", "never, reject", "=reject"})
    void anotherFormIsRefused(String text) {
        assertThatThrownBy(() -> ReusePolicy.parse(text))
                .isInstanceOf(InvalidInput.class)
                .hasMessageStartingWith("A reuse policy ")
                .hasMessageContaining("but got \"");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    never, paused=reject     | "paused"
                    never, open=rerun        | open is one of return, reject, replace, but got "rerun"
                    never, pending=          | pending is one of return, reject, replace, but got ""
                    never, completed=replace | completed is one of return, reject, rerun, but got "replace"
                    never, other_input=rerun | other_input is one of conflict, warn, ignore, but got "rerun"
                    """)
    void aWrongWordIsNamed(String text, String reported) {
        assertThatThrownBy(() -> ReusePolicy.parse(text))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining(reported);
    }
}
