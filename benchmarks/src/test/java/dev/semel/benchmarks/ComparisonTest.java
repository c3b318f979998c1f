package dev.semel.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ComparisonTest {

    @Test
    void theIntervalLeavesOutAsManyValuesAsAFairCoinAllows() {
        // Five values or fewer give no such interval; of 15, the fourth to the twelfth contain the median with 96.5 %.
        assertThat(Comparison.leftOut(5)).isZero();
        assertThat(Comparison.leftOut(6)).isEqualTo(1);
        assertThat(Comparison.leftOut(15)).isEqualTo(4);
        assertThat(Comparison.leftOut(100)).isEqualTo(40);
    }

    @Test
    void aLongerTimeIsALowerSpeed() {
        Comparison.Row rate = new Comparison.Row("drain", "tasks/s", List.of(100.0), List.of(50.0));
        Comparison.Row time = new Comparison.Row("idle", "ms (p50)", List.of(1.0), List.of(2.0));
        assertThat(rate.ratios()).containsExactly(0.5);
        assertThat(time.ratios()).containsExactly(0.5);
        assertThat(Comparison.table(List.of(rate, time)))
                .contains("| drain, tasks/s | 100 | 50.00 | 0.50 | 0.50 to 0.50 |")
                .contains("| idle, ms (p50) | 1.00 | 2.00 | 0.50 | 0.50 to 0.50 |");
    }
}
