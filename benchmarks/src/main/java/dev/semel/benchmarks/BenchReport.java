package dev.semel.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/**
 * All that was measured in one run.
 *
 * @param takenAt the day
 * @param machine what it was measured on
 * @param mode brief or full
 * @param facts how the storage was set
 * @param warnings what whoever reads the figures must know about how it was set
 * @param forced how often data was forced to the disk, and how often a server was waited for
 * @param results the figures
 * @param goals what the figures should be
 */
public record BenchReport(
        String takenAt,
        String machine,
        String mode,
        Map<String, String> facts,
        List<String> warnings,
        List<Forced> forced,
        List<Result> results,
        List<Goal> goals) {

    /** Copies. */
    public BenchReport {
        facts = new LinkedHashMap<>(facts);
        warnings = List.copyOf(warnings);
        forced = List.copyOf(forced);
        results = List.copyOf(results);
        goals = List.copyOf(goals);
    }

    /**
     * The report for programs.
     *
     * @return one JSON object
     */
    public String json() {
        return JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValueAsString(this);
    }

    /**
     * The report for people.
     *
     * @return Markdown without charts
     */
    public String markdown() {
        return Markdown.of(this, Map.of());
    }

    /**
     * Writes the report as {@code report.md} with its charts, and as {@code report.json}.
     *
     * @param directory where; made if it is not there
     * @throws IOException if it cannot be written
     */
    public void writeTo(Path directory) throws IOException {
        Files.createDirectories(directory);
        Map<String, String> charts = new LinkedHashMap<>();
        for (Map.Entry<String, String> chart : Charts.of(results).entrySet()) {
            String file = chart.getKey().toLowerCase(java.util.Locale.ROOT).replace(' ', '-') + ".svg";
            Files.writeString(directory.resolve(file), chart.getValue());
            charts.put(chart.getKey(), file);
        }
        Files.writeString(directory.resolve("report.md"), Markdown.of(this, charts));
        Files.writeString(directory.resolve("report.json"), json() + "\n");
    }
}
