package dev.semel.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import dev.semel.testservers.PostgresCluster;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Compares the speed of two commits: one process for each ({@link Sampler}) takes samples in turns, for the given number
 * of pairs. Both processes live as long as the comparison, so that all but the first pairs, which do not count, are
 * taken after the JIT compiler has finished. The order within a pair alternates, so that a machine that gets slower
 * favours neither. Prints for each measure the median of the pairs' ratios and the interval that contains the true
 * median with a probability of at least 95 %.
 *
 * <p>Run by {@code benchmarks/compare BEFORE}.
 */
final class Comparison {

    /** The measures that are compared unless others are named. */
    static final String USUAL =
            "submit-1-key,submit-64-key,submit-batch-key,half-duplicates-64,duplicates-batch,drain,drain-key,life-key,idle-key";

    private static final int WARM_UP_PAIRS = 4;

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
            return run(
                    earlier,
                    "sqlite:" + directory.resolve("before.db"),
                    later,
                    "sqlite:" + directory.resolve("after.db"));
        }
        try (PostgresCluster cluster = PostgresCluster.newest("shared_buffers=256MB")) {
            PGSimpleDataSource database = cluster.database();
            String store = "postgresql://%s@localhost:%d/%s"
                    .formatted(database.getUser(), database.getPortNumbers()[0], database.getDatabaseName());
            return run(earlier, store, later, store);
        }
    }

    private List<Row> run(Path before, String beforeStore, Path after, String afterStore) throws IOException {
        Map<String, Row> rows = new LinkedHashMap<>();
        try (SamplerProcess earlier = new SamplerProcess(before, beforeStore);
                SamplerProcess later = new SamplerProcess(after, afterStore)) {
            for (int pair = -WARM_UP_PAIRS; pair < pairs; pair++) {
                System.err.println(pair < 0 ? "Warm-up" : "Pair " + (pair + 1) + " of " + pairs);
                for (String id : only) {
                    boolean earlierFirst = pair % 2 == 0;
                    Map<String, Double> first = (earlierFirst ? earlier : later).sample(id);
                    Map<String, Double> second = (earlierFirst ? later : earlier).sample(id);
                    if (pair >= 0) {
                        (earlierFirst ? first : second)
                                .forEach((unit, value) ->
                                        row(rows, id, unit).before().add(value));
                        (earlierFirst ? second : first)
                                .forEach((unit, value) ->
                                        row(rows, id, unit).after().add(value));
                    }
                }
            }
        }
        return List.copyOf(rows.values());
    }

    private static Row row(Map<String, Row> rows, String id, String unit) {
        return rows.computeIfAbsent(id + ", " + unit, none -> new Row(id, unit));
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

    private static void command(Path directory, String... words) throws IOException, InterruptedException {
        int exit = new ProcessBuilder(words)
                .directory(directory.toFile())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start()
                .waitFor();
        if (exit != 0) {
            throw new IOException(String.join(" ", words) + " ended with exit code " + exit);
        }
    }

    /** The process of one commit; ended when closed. */
    private final class SamplerProcess implements AutoCloseable {

        private final Process process;
        private final BufferedReader answers;
        private final BufferedWriter requests;

        SamplerProcess(Path checkout, String store) throws IOException {
            // Only this one class comes from here; everything that it uses is the commit's own.
            Path sampler = directory.resolve("sampler");
            Path file = Path.of("dev", "semel", "benchmarks", "Sampler.class");
            Files.createDirectories(sampler.resolve(file).getParent());
            try (InputStream compiled = Sampler.class.getResourceAsStream("Sampler.class")) {
                Files.copy(Objects.requireNonNull(compiled), sampler.resolve(file), REPLACE_EXISTING);
            }
            List<String> words = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "--enable-native-access=ALL-UNNAMED",
                    "-cp",
                    Stream.of(
                                    sampler,
                                    checkout.resolve("cli/target/quick/semel.jar"),
                                    checkout.resolve("benchmarks/target/quick/semel-benchmarks.jar"))
                            .map(Path::toString)
                            .collect(Collectors.joining(File.pathSeparator)),
                    Sampler.class.getName(),
                    store));
            words.addAll(only);
            process = new ProcessBuilder(words)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            answers = process.inputReader(UTF_8);
            requests = process.outputWriter(UTF_8);
        }

        /** Returns the figures of a sample by their units. */
        Map<String, Double> sample(String id) throws IOException {
            requests.write(id + "\n");
            requests.flush();
            String answer = answers.readLine();
            if (answer == null) {
                throw new IOException("The sampler ended during \"" + id + "\"; its error is above");
            }
            String[] words = answer.split("\t", -1);
            Map<String, Double> figures = new LinkedHashMap<>();
            for (int i = 0; i < words.length; i += 2) {
                figures.put(words[i], Double.valueOf(words[i + 1]));
            }
            return figures;
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }
}
