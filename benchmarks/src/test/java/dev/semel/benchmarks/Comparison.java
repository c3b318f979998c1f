package dev.semel.benchmarks;

import dev.semel.testservers.PostgresCluster;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.postgresql.ds.PGSimpleDataSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Compares the speed of two commits: {@code ./semel bench --short} of one and of the other in turns, each in a separate
 * process, for the given number of pairs. The order within a pair alternates, so that a machine that gets slower
 * favours neither. Prints for each measure the median of the pairs' ratios and the interval that contains the true
 * median with a probability of at least 95 %.
 *
 * <p>Run by {@code benchmarks/compare BEFORE}.
 */
final class Comparison {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Path directory;
    private final int pairs;
    private final List<String> only;

    /** The commits are checked out below the directory. */
    Comparison(Path directory, int pairs, List<String> only) {
        this.directory = directory;
        this.pairs = pairs;
        this.only = List.copyOf(only);
    }

    /** The figures of a measure, pair by pair; its unit says whether a larger figure is better. */
    record Row(String id, String unit, List<Double> before, List<Double> after) {

        Row(String id, String unit) {
            this(id, unit, new ArrayList<>(), new ArrayList<>());
        }

        /** Returns the speed of the later commit as a share of the earlier one's, for each pair, in ascending order. */
        List<Double> ratios() {
            List<Double> ratios = new ArrayList<>();
            for (int i = 0; i < before.size(); i++) {
                double ratio = after.get(i) / before.get(i);
                ratios.add(isRate() ? ratio : 1 / ratio);
            }
            ratios.sort(null);
            return ratios;
        }

        private boolean isRate() {
            return unit.contains("/s");
        }
    }

    /**
     * Returns how many of the smallest and of the largest values can be left out so that the rest still contains the
     * true median with a probability of at least 95 %. Each value is below the median with a probability of one half.
     */
    static int leftOut(int count) {
        double probability = Math.pow(0.5, count);
        double below = 0;
        for (int k = 0; k < count / 2; k++) {
            below += probability;
            if (2 * below > 0.05) {
                return k;
            }
            probability *= (double) (count - k) / (k + 1);
        }
        return count / 2;
    }

    /** Returns the table in Markdown. */
    static String table(List<Row> rows) {
        StringBuilder table = new StringBuilder(
                "| measure | before | after | speed, after to before | interval |%n|---|--:|--:|--:|--:|%n"
                        .formatted());
        for (Row row : rows) {
            List<Double> ratios = row.ratios();
            int out = leftOut(ratios.size());
            table.append(String.format(
                    Locale.ROOT,
                    "| %s, %s | %s | %s | %.2f | %.2f to %.2f |%n",
                    row.id(),
                    row.unit(),
                    figure(Series.median(row.before())),
                    figure(Series.median(row.after())),
                    Series.median(ratios),
                    ratios.get(out),
                    ratios.get(ratios.size() - 1 - out)));
        }
        return table.toString();
    }

    private static String figure(double value) {
        return String.format(Locale.ROOT, value < 100 ? "%.2f" : "%,.0f", value);
    }

    /** Measures on the embedded file, or on a server that the run starts. */
    List<Row> run(Path repository, String before, String after, boolean onServer)
            throws IOException, InterruptedException {
        Path earlier = checkOut(repository, before, "before");
        Path later = checkOut(repository, after, "after");
        if (!onServer) {
            return run(earlier, later, "sqlite:" + directory.resolve("semel.db"));
        }
        try (PostgresCluster cluster = PostgresCluster.newest("shared_buffers=256MB")) {
            PGSimpleDataSource database = cluster.database();
            return run(
                    earlier,
                    later,
                    "postgresql://%s@localhost:%d/%s"
                            .formatted(database.getUser(), database.getPortNumbers()[0], database.getDatabaseName()));
        }
    }

    private List<Row> run(Path before, Path after, String store) throws IOException, InterruptedException {
        Map<String, Row> rows = new LinkedHashMap<>();
        for (int pair = 0; pair < pairs; pair++) {
            System.err.printf("Pair %d of %d%n", pair + 1, pairs);
            boolean earlierFirst = pair % 2 == 0;
            JsonNode first = measure(earlierFirst ? before : after, store);
            JsonNode second = measure(earlierFirst ? after : before, store);
            for (JsonNode result : earlierFirst ? first : second) {
                row(rows, result).before().add(ours(result));
            }
            for (JsonNode result : earlierFirst ? second : first) {
                row(rows, result).after().add(ours(result));
            }
        }
        return List.copyOf(rows.values());
    }

    private static Row row(Map<String, Row> rows, JsonNode result) {
        String id = result.get("id").asString();
        return rows.computeIfAbsent(id, none -> new Row(id, result.get("unit").asString()));
    }

    private static double ours(JsonNode result) {
        List<Double> samples = new ArrayList<>();
        result.get("ours").get("samples").forEach(sample -> samples.add(sample.asDouble()));
        return Series.median(samples);
    }

    private Path checkOut(Path repository, String commit, String name) throws IOException, InterruptedException {
        Path checkout = directory.resolve(name);
        if (!Files.exists(checkout)) {
            Files.createDirectories(directory);
            command(directory, "git", "clone", "--quiet", "--shared", repository.toString(), checkout.toString());
        }
        command(checkout, "git", "checkout", "--quiet", "--detach", commit);
        command(checkout, "./semel", "--version");
        return checkout;
    }

    private JsonNode measure(Path checkout, String store) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of("./semel", "bench", "--short", "--json", "--store", store));
        only.forEach(measure -> words.addAll(List.of("--only", measure)));
        return JSON.readTree(command(checkout, words.toArray(String[]::new))).get("results");
    }

    private static String command(Path directory, String... words) throws IOException, InterruptedException {
        File output = File.createTempFile("semel-comparison", ".txt");
        try {
            Process process = new ProcessBuilder(words)
                    .directory(directory.toFile())
                    .redirectOutput(output)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            int exit = process.waitFor();
            String text = Files.readString(output.toPath());
            if (exit != 0) {
                throw new IOException(String.join(" ", words) + " ended with exit code " + exit + ": " + text);
            }
            return text;
        } finally {
            Files.delete(output.toPath());
        }
    }
}
