package dev.semel.benchmarks.peers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.benchmarks.BenchProgress;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A run that is too small for figures, but goes all the way. */
class PeersTest {

    private static final Scale TINY = new Scale(0.01, 1, 5, 1, 0, 20);

    @Test
    @DisplayName("A run has figures of all contestants and of raw, and says what duplicates came to")
    void smallRun() {
        List<String> only = List.of("submit-8-key", "half", "drain", "life", "facts", "race");
        try (Peers peers = new Peers(TINY, "tiny", only, BenchProgress.SILENT)) {
            Report report = peers.run();

            assertThat(report.figures())
                    .extracting(Figures::id)
                    .containsExactly(
                            "submit-8-key",
                            "half-duplicates-64",
                            "drain",
                            "life-key",
                            "log-drain",
                            "log-life-key",
                            "dead-life-key");
            assertThat(report.figures())
                    .allSatisfy(figures -> assertThat(figures.series().keySet())
                            .containsExactly("Semel", "db-scheduler", "JobRunr", "DBOS Transact", "raw"));
            assertThat(report.figures())
                    .filteredOn(Figures::more)
                    .allSatisfy(figures -> assertThat(figures.series().values())
                            .allSatisfy(series -> assertThat(series.median()).isPositive()));
            assertThat(answer(report, "the same again after it has completed", "Semel"))
                    .isEqualTo("reported as a duplicate; ran once");
            assertThat(answer(report, "different input while the first is pending", "Semel"))
                    .isEqualTo("refused with IdempotencyConflict; ran with the first");
            assertThat(answer(report, "a race: 32 threads, 20 keys, each submitted 32 times", "Semel"))
                    .isEqualTo("0 extra executions; 20 submissions reported as new");
        }
    }

    private static String answer(Report report, String question, String contestant) {
        return report.facts().stream()
                .filter(fact ->
                        fact.question().equals(question) && fact.contestant().equals(contestant))
                .map(Facts.Fact::answer)
                .findFirst()
                .orElseThrow();
    }
}
