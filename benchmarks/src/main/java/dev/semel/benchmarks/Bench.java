package dev.semel.benchmarks;

import dev.semel.benchmarks.Item.Keys;
import dev.semel.task.InvalidInput;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A run of the benchmarks: measures how fast Semel is on a storage, next to the raw limit of that storage. */
public final class Bench {

    /** The name that selects the counting of forced writes. */
    private static final String FORCED = "forced";

    private final BenchOptions options;
    private final BenchProgress progress;
    private final StoreUnderTest storage;
    private final Scale scale;
    private final List<Measure> measures;

    /**
     * Prepares a run.
     *
     * @param options what to measure and where
     * @param progress receives the progress
     * @throws InvalidInput if the storage is not supported or no measure is selected
     */
    public Bench(BenchOptions options, BenchProgress progress) {
        this(options, progress, options.brief() ? Scale.BRIEF : Scale.FULL);
    }

    Bench(BenchOptions options, BenchProgress progress, Scale scale) {
        this.options = options;
        this.progress = progress;
        this.storage = StoreUnderTest.of(options.store());
        this.scale = scale;
        this.measures = Measures.of(storage, scale).stream()
                .filter(measure -> options.wants(measure.id()))
                .toList();
        if (measures.isEmpty() && !options.wants(FORCED)) {
            throw new InvalidInput("No measure starts with \"" + String.join("\", \"", options.only()) + "\". The"
                    + " measures are: " + names());
        }
    }

    /**
     * Takes the selected measures on any storage.
     *
     * @param options what to measure and where
     * @param progress receives the progress
     * @return the report
     * @throws Exception if a sample failed
     */
    public static BenchReport report(BenchOptions options, BenchProgress progress) throws Exception {
        return ObjectBench.isObjectStorage(options.store())
                ? new ObjectBench(options, progress).run()
                : new Bench(options, progress).run();
    }

    /**
     * Returns the names of all measures.
     *
     * @return the names
     */
    public List<String> names() {
        List<String> names = new ArrayList<>();
        names.add(FORCED);
        Measures.of(storage, scale).forEach(measure -> names.add(measure.id()));
        return names;
    }

    /**
     * Takes all selected measures, and writes the report if a directory is given.
     *
     * @return the report
     * @throws Exception if a sample failed; then there is no report, because its figures would be wrong
     */
    public BenchReport run() throws Exception {
        int total = measures.size() + 2;
        progress.at(0, total, "warm-up");
        Map<String, String> facts = warmUp();
        progress.at(1, total, "counting");
        List<Forced> forced = options.wants(FORCED) ? Forced.count(storage, scale) : List.of();
        List<Result> results = new ArrayList<>();
        for (Measure measure : measures) {
            progress.at(2 + results.size(), total, measure.title());
            results.add(measure.take());
        }
        progress.at(total, total, "done");
        BenchReport report = new BenchReport(
                LocalDate.now(ZoneOffset.UTC).toString(),
                machine(),
                options.brief() ? "brief" : "full",
                facts,
                storage.warnings(facts),
                forced,
                results,
                Goal.of(storage, results));
        Path output = options.output();
        if (output != null) {
            report.writeTo(output);
        }
        return report;
    }

    /** Runs both sides once, so that the JIT compiler has seen them, and reads the settings of the storage. */
    private Map<String, String> warmUp() {
        Map<String, String> facts = new LinkedHashMap<>();
        int tasks = 10_000;
        for (int i = 0; i < scale.warmUps(); i++) {
            try (StoreUnderTest.Place place = storage.fresh()) {
                Measures.life(place, Item.fresh(0, tasks, i % 2 == 0 ? Keys.RISING : Keys.NONE), Work.USUAL_SIZE, true);
                facts.putAll(place.facts());
            }
            try (StoreUnderTest.Place place = storage.fresh();
                    RawStore raw = place.openRaw()) {
                Raw.life(raw, Raw.rows(Item.fresh(0, tasks, Keys.RISING), Work.USUAL_SIZE));
                raw.facts().forEach((name, value) -> facts.put("raw " + name, value));
            }
        }
        return facts;
    }

    static String machine() {
        long memory = ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
                .getTotalMemorySize();
        return String.format(
                Locale.ROOT,
                "%d cores%s, %.0f GiB of memory, %s %s, Java %s, heap of at most %.1f GiB.",
                Runtime.getRuntime().availableProcessors(),
                processor(),
                memory / (double) (1L << 30),
                System.getProperty("os.name"),
                System.getProperty("os.arch"),
                Runtime.version(),
                Runtime.getRuntime().maxMemory() / (double) (1L << 30));
    }

    private static String processor() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/cpuinfo"))) {
                if (line.startsWith("model name")) {
                    return " (" + line.substring(line.indexOf(':') + 2) + ")";
                }
            }
        } catch (IOException e) {
            return ""; // not on Linux
        }
        return "";
    }
}
