package dev.semel.benchmarks.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.semel.benchmarks.Goal;
import dev.semel.benchmarks.Series;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What is made of figures. */
class ReportTest {

    private static Figures figures(String id, boolean more, Map<String, List<Double>> samples) {
        Map<String, Series> series = new LinkedHashMap<>();
        samples.forEach((name, values) -> series.put(name, new Series(values)));
        return new Figures(id, "Running", "the " + id + " & so on", "tasks/s", more, series, Map.of(), Map.of());
    }

    private static Figures drain() {
        Map<String, List<Double>> samples = new LinkedHashMap<>();
        samples.put(Figures.SEMEL, List.of(100.0, 90.0, 60.0));
        samples.put("slow", List.of(10.0, 10.0, 10.0));
        samples.put("fast", List.of(20.0, 30.0, 30.0));
        samples.put(Figures.RAW, List.of(200.0, 300.0, 100.0));
        return figures("drain", true, samples);
    }

    private static Report report() {
        List<Figures> figures = List.of(drain());
        Map<String, Report.Entry> entries = new LinkedHashMap<>();
        List.of(Figures.SEMEL, "slow", "fast", Figures.RAW)
                .forEach(name -> entries.put(
                        name, new Report.Entry("1", List.of(new Contestant.Choice("a thing", "so", "because")))));
        return new Report(
                "2026-01-01",
                "A machine.",
                "short",
                1.5,
                List.of(0.1, 2.0),
                Map.of("fsync", "on"),
                entries,
                figures,
                List.of(new Facts.Fact("the same again", "fast", "nothing reported; ran once")),
                Goals.of(figures));
    }

    @Test
    @DisplayName("The best peer is the one with the best median, and neither Semel nor raw")
    void bestPeer() {
        assertThat(drain().bestPeer()).contains("fast");
        Figures latency =
                figures("idle", false, Map.of(Figures.SEMEL, List.of(1.0), "slow", List.of(9.0), "fast", List.of(2.0)));
        assertThat(latency.bestPeer()).contains("fast");
    }

    @Test
    @DisplayName("A ratio is the median of the ratios of the turns, not the ratio of the medians")
    void ratios() {
        // 100 to 20, 90 to 30, 60 to 30
        assertThat(drain().toBestPeer().orElseThrow()).isCloseTo(3.0, within(1e-9));
        // 100 to 200, 90 to 300, 60 to 100
        assertThat(drain().ratio(Figures.SEMEL, Figures.RAW).orElseThrow()).isCloseTo(0.5, within(1e-9));
        assertThat(drain().ratio(Figures.SEMEL, "absent")).isEmpty();
    }

    @Test
    @DisplayName("Only goals with figures are reported, met or not")
    void goals() {
        List<Goal> goals = Goals.of(List.of(drain()));
        assertThat(goals).extracting(Goal::what).containsExactly("drain to the best peer", "drain to raw");
        assertThat(goals).extracting(Goal::isMet).containsExactly(false, true);
    }

    @Test
    @DisplayName("The report names every contestant, ratio, fact, goal and choice")
    void markdown() {
        assertThat(report().markdown())
                .contains("| the drain & so on | tasks/s | 90.0 (44 %) | 10.0 (0 %) | 30.0 (33 %) | 200 (100 %)"
                        + " | 3.00 (fast) | 0.50 |")
                .contains("| the same again | nothing reported; ran once |")
                .contains("| drain to the best peer | ≥ 4.00 | 3.00 | **no** |")
                .contains("| slow 1 | a thing | so | because |");
    }

    @Test
    @DisplayName("The report for programs is one JSON object with every sample")
    void json() {
        JsonNode report = JsonMapper.builder().build().readTree(report().json());
        assertThat(report.at("/figures/0/series/Semel/samples/2").asDouble()).isEqualTo(60.0);
        assertThat(report.at("/facts/0/contestant").asString()).isEqualTo("fast");
    }

    @Test
    @DisplayName("Charts are well-formed, with a bar for each contestant")
    void charts(@TempDir Path directory) throws Exception {
        report().writeTo(directory);
        Path chart = directory.resolve("running.svg");
        var svg = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(chart.toFile());
        // One more: the background.
        assertThat(svg.getElementsByTagName("rect").getLength()).isEqualTo(5);
        assertThat(Files.readString(directory.resolve("report.md"))).contains("](running.svg)");
        assertThat(directory.resolve("report.json")).isNotEmptyFile();
    }
}
