package dev.semel.benchmarks.peers;

import dev.semel.benchmarks.BenchProgress;
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
import java.util.Objects;
import java.util.function.Supplier;

/** One run of the comparison: all contestants, all selected measures. */
final class Peers implements AutoCloseable {

    private final Server server = new Server();
    private final Scale scale;
    private final String mode;
    private final List<String> only;
    private final BenchProgress progress;
    private final List<Contestant> contestants;
    private final List<Measure> measures;
    private int done;
    private int total;

    Peers(Scale scale, String mode, List<String> only, BenchProgress progress) {
        this.scale = scale;
        this.mode = mode;
        this.only = List.copyOf(only);
        this.progress = progress;
        this.contestants = contestants();
        this.measures = new Measures(() -> server)
                .all().stream().filter(measure -> wants(measure.id())).toList();
    }

    static List<Contestant> contestants() {
        return List.of(
                new SemelContestant(), new DbSchedulerContestant(), new JobRunrContestant(), new DbosContestant(false));
    }

    /** Returns the names of all measures. */
    static List<String> names() {
        List<String> names = new ArrayList<>();
        Supplier<Server> none = () -> {
            throw new IllegalStateException("Listing the measures must not take a sample");
        };
        new Measures(none).all().forEach(measure -> names.add(measure.id()));
        names.addAll(List.of(Idle.ID, IdleWorkflow.ID, Facts.ID, Facts.RACE));
        return names;
    }

    private boolean wants(String id) {
        return only.isEmpty() || only.stream().anyMatch(id::startsWith);
    }

    Report run() {
        long began = System.nanoTime();
        List<Double> load = new ArrayList<>(load());
        total = contestants.size()
                + (contestants.size() + 1) * ((wants(Facts.ID) ? 1 : 0) + (wants(Facts.RACE) ? 1 : 0))
                + measures.size()
                + (wants(Idle.ID) ? 1 : 0)
                + (wants(IdleWorkflow.ID) ? 1 : 0);
        warmUp();
        List<Figures> figures = new ArrayList<>();
        Sampler sampler = new Sampler(server, scale, contestants);
        for (Measure measure : measures) {
            step(measure.section() + ": " + measure.title());
            figures.add(sampler.take(measure));
        }
        if (wants(Idle.ID)) {
            step("idle latency");
            figures.add(new Idle(server, scale, contestants).take());
        }
        if (wants(IdleWorkflow.ID)) {
            step("idle workflow");
            figures.add(new IdleWorkflow(server, scale, contestants).take());
        }
        figures.addAll(Derived.of(figures));
        List<Facts.Fact> facts = facts();
        progress.at(total, total, "done");
        load.addAll(load());
        return new Report(
                LocalDate.now(ZoneOffset.UTC).toString(),
                machine(),
                mode,
                (System.nanoTime() - began) / 60e9,
                load,
                server.facts(),
                entries(),
                figures,
                facts,
                Goals.of(figures));
    }

    private void step(String what) {
        progress.at(done++, total, what);
    }

    /** Runs every contestant once, so that the JIT compiler has seen it, and creates its tables. */
    private void warmUp() {
        Map<String, Measure> all = new LinkedHashMap<>();
        new Measures(() -> server).all().forEach(measure -> all.put(measure.id(), measure));
        for (Contestant contestant : contestants) {
            step("warm-up of " + contestant.name());
            for (int i = 0; i < scale.warmUps(); i++) {
                for (String id : List.of("submit-64-key", "life-key")) {
                    Measure measure = Objects.requireNonNull(all.get(id));
                    Measure.Reading unused = measure.sample().take(contestant, measure.least());
                }
            }
        }
    }

    private List<Facts.Fact> facts() {
        List<Facts.Fact> seen = new ArrayList<>();
        Facts facts = new Facts(server, scale);
        // Another kind of key in DBOS. It is not a separate contestant, because it is as fast.
        List<Contestant> all = new ArrayList<>(contestants);
        all.add(new DbosContestant(true));
        if (wants(Facts.ID)) {
            for (Contestant contestant : all) {
                step("what " + contestant.name() + " does with duplicates");
                seen.addAll(facts.of(contestant));
            }
        }
        if (wants(Facts.RACE)) {
            for (Contestant contestant : all) {
                step("a race with " + contestant.name());
                seen.add(facts.race(contestant));
            }
        }
        return seen;
    }

    private Map<String, Report.Entry> entries() {
        Map<String, Report.Entry> entries = new LinkedHashMap<>();
        contestants.forEach(contestant -> entries.put(
                contestant.name(),
                new Report.Entry(
                        Versions.of(contestant.name().toLowerCase(Locale.ROOT).replace(" transact", "")),
                        contestant.choices())));
        entries.put(
                Figures.RAW,
                new Report.Entry(
                        "over JDBC " + Versions.of("postgresql-driver"),
                        List.of(new Contestant.Choice(
                                "everything",
                                "as in \"./semel bench\"",
                                "the same work by hand on the best layout that keeps leases and history; one"
                                        + " commit for each task where callers submit singly, shared commits where"
                                        + " they submit duplicates"))));
        return entries;
    }

    private static List<Double> load() {
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        return load < 0 ? List.of() : List.of(load);
    }

    private static String machine() {
        long memory = ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
                .getTotalMemorySize();
        return String.format(
                Locale.ROOT,
                "%d cores%s for the libraries and the server together, %.0f GiB of memory, %s %s, Java %s, heap of at"
                        + " most %.1f GiB.",
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

    @Override
    public void close() {
        server.close();
    }
}
