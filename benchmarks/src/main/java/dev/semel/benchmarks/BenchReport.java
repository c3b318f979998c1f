package dev.semel.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/**
 * The results of one run.
 *
 * @param takenAt the day
 * @param machine the machine
 * @param mode brief or full
 * @param facts the settings of the storage
 * @param warnings settings that a reader of the figures must know about
 * @param forced how often data was forced to the disk, and how often a server was waited for
 * @param results the figures
 * @param goals the goals for the figures
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

    /** Copies the collections. */
    public BenchReport {
        facts = new LinkedHashMap<>(facts);
        warnings = List.copyOf(warnings);
        forced = List.copyOf(forced);
        results = List.copyOf(results);
        goals = List.copyOf(goals);
    }

    /**
     * Returns the report for programs.
     *
     * @return one JSON object
     */
    public String json() {
        return JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValueAsString(this);
    }

    /**
     * Returns the report for people.
     *
     * @return Markdown without charts
     */
    public String markdown() {
        return Markdown.of(this, Map.of());
    }

    /**
     * Writes the report as {@code report.md} with its charts, and as {@code report.json}.
     *
     * @param directory the directory; created if it does not exist
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
