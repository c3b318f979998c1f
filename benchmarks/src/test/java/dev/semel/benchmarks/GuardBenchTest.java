package dev.semel.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The measurement of the guard works; with {@code -Dguard.bench=full} it is the measurement. */
class GuardBenchTest {

    @Test
    @Timeout(900)
    void every_store_is_measured_beside_its_plain_commands() {
        boolean full = System.getProperty("guard.bench", "").equals("full");
        List<GuardBench.Row> rows = full
                ? new GuardBench(1, 3).run(System.getProperty("guard.bench.only", ".*"), List.of(1, 8, 64))
                : new GuardBench(0.02, 1).run(".*", List.of(1, 8));
        if (full) {
            System.out.println(GuardBench.table(rows));
        }
        assertThat(rows).hasSizeGreaterThanOrEqualTo(full ? 6 : 16).allSatisfy(row -> {
            assertThat(row.ours().median()).isPositive();
            assertThat(row.raw().median()).isPositive();
        });
    }
}
