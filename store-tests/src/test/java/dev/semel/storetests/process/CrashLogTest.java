package dev.semel.storetests.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.storetests.process.CrashLog.Event;
import dev.semel.storetests.process.CrashLog.Line;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CrashLogTest {

    @TempDir
    Path directory;

    private CrashLog log;

    /** One step as it should be: two attempts, of which the second records. */
    @BeforeEach
    void soundStep() {
        log = new CrashLog(directory);
        add(Event.BEGAN, "task", 1, "w-0");
        ran("token", 1, "w-0");
        add(Event.BEGAN, "task", 2, "w-0");
        ran("token", 2, "w-0");
        add(Event.RECORDED, "token", 2, "w-0");
        add(Event.COMPLETED, "task", 2, "w-0");
    }

    @Test
    void aSoundLogHasNoProblems() throws Exception {
        assertThat(log.problems(Set.of("w-0"))).isEmpty();
    }

    @Test
    void anAttemptWithoutItsLeaseMayGoOn() throws Exception {
        ran("token", 1, "w-0");
        assertThat(log.problems(Set.of("w-0"))).isEmpty();
    }

    @Test
    void anEffectThatRunsAfterItsOutcomeWasRecordedIsFound() throws Exception {
        ran("token", 3, "w-0");
        assertThat(log.problems(Set.of("w-0")))
                .containsExactly("Attempt 2 had recorded the outcome already: RAN token 3 w-0");
    }

    @Test
    void aStepThatBeginsAfterItWasCompletedIsFound() throws Exception {
        add(Event.BEGAN, "task", 3, "w-0");
        assertThat(log.problems(Set.of("w-0")))
                .containsExactly("Attempt 2 had recorded the outcome already: BEGAN task 3 w-0");
    }

    @Test
    void anOutcomeThatIsRecordedTwiceIsFound() throws Exception {
        add(Event.RECORDED, "token", 3, "w-0");
        assertThat(log.problems(Set.of("w-0")))
                .containsExactly("The outcome was recorded by attempts 2 and 3: RECORDED token 3 w-0");
    }

    @Test
    void aSecondTokenOfAStepIsFound() throws Exception {
        ran("other", 2, "w-0");
        assertThat(log.problems(Set.of("w-0")))
                .contains("Expected at most 1 tokens or tasks of the step, but got one more: RAN other 2 w-0")
                .anyMatch(
                        problem -> problem.startsWith("Expected one effect for each token, 1, but the provider has 2"));
    }

    @Test
    void aTokenOfTwoStepsIsFound() throws Exception {
        ran("token", 2, "w-1");
        assertThat(log.problems(Set.of("w-0", "w-1")))
                .contains("The token or task belongs to two steps, w-0 and another: RAN token 2 w-1");
    }

    @Test
    void aStepThatNeverRanIsFound() throws Exception {
        assertThat(log.problems(Set.of("w-0", "w-1")))
                .containsExactly("Expected an effect of each of 2 steps, but 1 ran one");
    }

    private void ran(String token, int attempt, String step) {
        log.charge(token, step);
        add(Event.RAN, token, attempt, step);
    }

    private void add(Event event, String subject, int attempt, String step) {
        log.add(new Line(event, subject, attempt, step));
    }
}
