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

/** Measures how fast Semel is on a storage, beside the raw limit of that storage. */
public final class Bench {

    /** The name under which the counting of forced writes is chosen. */
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
     * @param progress told how far it is
     * @throws InvalidInput if the storage is not known or no measure is chosen
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
            throw new InvalidInput("No measure begins with " + options.only() + ". There are: " + names());
        }
    }

    /**
     * The names of all measures.
     *
     * @return names to choose by
     */
    public List<String> names() {
        List<String> names = new ArrayList<>();
        names.add(FORCED);
        Measures.of(storage, scale).forEach(measure -> names.add(measure.id()));
        return names;
    }

    /**
     * Takes all measures that were chosen and writes the report, if that was wanted.
     *
     * @return what was measured
     * @throws Exception if a sample failed: then there is no figure, because it would not be one
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

    /** Lets the compiler see all of it, ours and raw, and reads how the storage is set. */
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

    private static String machine() {
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
