package dev.semel.benchmarks.peers;

import dev.semel.benchmarks.Goal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/**
 * The results of one run.
 *
 * @param takenAt the day
 * @param machine the machine
 * @param mode brief or full
 * @param minutes how long the run took
 * @param load the load average of the machine before the run and after it; empty if the system has none
 * @param server the settings of the database
 * @param contestants the contestants, by name
 * @param figures the figures
 * @param facts the treatment of duplicates
 * @param goals the goals for the figures
 */
record Report(
        String takenAt,
        String machine,
        String mode,
        double minutes,
        List<Double> load,
        Map<String, String> server,
        Map<String, Entry> contestants,
        List<Figures> figures,
        List<Facts.Fact> facts,
        List<Goal> goals) {

    /**
     * A contestant.
     *
     * @param version the version of the library
     * @param choices its configuration
     */
    record Entry(String version, List<Contestant.Choice> choices) {}

    /** Returns the report for programs. */
    String json() {
        return JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValueAsString(this);
    }

    /** Returns the report for people, without charts. */
    String markdown() {
        return Markdown.of(this, Map.of());
    }

    /** Writes the report as {@code report.md} with its charts, and as {@code report.json}. */
    void writeTo(Path directory) throws IOException {
        Files.createDirectories(directory);
        Map<String, String> charts = new LinkedHashMap<>();
        for (Map.Entry<String, String> chart : Charts.of(figures).entrySet()) {
            String file = chart.getKey().toLowerCase(Locale.ROOT).replace(' ', '-') + ".svg";
            Files.writeString(directory.resolve(file), chart.getValue());
            charts.put(chart.getKey(), file);
        }
        Files.writeString(directory.resolve("report.md"), Markdown.of(this, charts));
        Files.writeString(directory.resolve("report.json"), json() + "\n");
    }
}
