package dev.semel.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs the benchmarks from a class path:
 * {@code java -cp … dev.semel.benchmarks.Main [--store URL] [--short] [--output DIRECTORY] [--json] [measure…]}.
 */
public final class Main {

    private Main() {}

    /**
     * Runs the benchmarks.
     *
     * @param arguments see above
     * @throws Exception if a sample failed
     */
    public static void main(String[] arguments) throws Exception {
        String store = "sqlite:semel.db";
        boolean brief = false;
        boolean json = false;
        Path output = null;
        List<String> only = new ArrayList<>();
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--store" -> store = arguments[++i];
                case "--output" -> output = Path.of(arguments[++i]);
                case "--short" -> brief = true;
                case "--json" -> json = true;
                default -> only.add(arguments[i]);
            }
        }
        BenchProgress progress = (done, total, what) -> System.err.printf("[%d/%d] %s%n", done, total, what);
        BenchReport report = Bench.report(new BenchOptions(store, brief, only, output), progress);
        System.out.println(json ? report.json() : report.markdown());
    }
}
