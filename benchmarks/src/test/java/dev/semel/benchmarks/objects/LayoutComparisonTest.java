package dev.semel.benchmarks.objects;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The comparison runs to its end and shows what the decision rests on. */
class LayoutComparisonTest {

    @Test
    void theLogNeedsFarFewerRequests() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        LayoutComparison.run(2_000, new PrintStream(bytes, true, StandardCharsets.UTF_8));
        List<String> lines = bytes.toString(StandardCharsets.UTF_8).lines().toList();
        assertThat(lines).hasSize(10);
        assertThat(requests(lines.get(2))).isGreaterThan(10);
        for (String line : lines.subList(6, 9)) {
            assertThat(requests(line)).as(line).isLessThan(1);
        }
    }

    private static double requests(String line) {
        return Double.parseDouble(line.split("\\|", -1)[3].strip());
    }
}
