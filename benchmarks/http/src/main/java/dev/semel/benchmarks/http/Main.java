package dev.semel.benchmarks.http;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Takes the measures: {@code Main [--short] [NAME…]}. */
public final class Main {

    private Main() {}

    /**
     * Takes the measures and prints a report in Markdown.
     *
     * @param arguments see above
     * @throws Exception if a measure fails
     */
    public static void main(String[] arguments) throws Exception {
        List<String> names = new ArrayList<>(List.of(arguments));
        boolean brief = names.remove("--short");
        Path directory = Files.createTempDirectory("semel-http-");
        try {
            Measures measures = new Measures(directory, brief);
            for (Measures.Measure measure : measures.all()) {
                if (names.isEmpty() || names.contains(measure.name())) {
                    System.err.println("measuring " + measure.name() + " …");
                    System.out.printf(Locale.ROOT, "## %s%n%n", measure.title());
                    measure.action().run();
                    System.out.println();
                }
            }
        } finally {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }
}
