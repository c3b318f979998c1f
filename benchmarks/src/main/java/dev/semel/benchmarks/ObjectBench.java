package dev.semel.benchmarks;

import dev.semel.task.InvalidInput;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A run of the benchmarks on object storage. There is no raw limit beside it: what counts is how many tasks share a request. Each
 * PUT takes 50 ms longer than the service does, or what {@code -Dput.delay} says in milliseconds, so that a server on the same machine
 * behaves as a service at some distance.
 */
final class ObjectBench {

    private static final String PREFIX = "s3:";

    /** One measure. */
    private interface Sample {
        Result take(ObjectPlace place) throws Exception;
    }

    private final BenchOptions options;
    private final BenchProgress progress;
    private final Duration delay = Duration.ofMillis(Integer.getInteger("put.delay", 50));
    private final Map<String, Sample> samples = new LinkedHashMap<>();

    ObjectBench(BenchOptions options, BenchProgress progress) {
        this.options = options;
        this.progress = progress;
        int tasks = options.brief() ? 2_000 : 10_000;
        for (int processes : List.of(1, 4)) {
            for (int batch : List.of(1, 100)) {
                ObjectLife life = new ObjectLife(tasks, processes, batch, delay);
                samples.put(life.id(), life::measure);
            }
        }
        ObjectCosts costs = new ObjectCosts(delay);
        samples.put(ObjectCosts.REQUESTS, costs::requests);
        samples.put(ObjectCosts.IDLE, place -> costs.idle(place, Duration.ofSeconds(options.brief() ? 12 : 60)));
        samples.put(
                ObjectTurns.ID,
                place -> new ObjectTurns(16, Duration.ofSeconds(options.brief() ? 5 : 30), delay).measure(place));
        for (int kept : options.brief() ? List.of(10_000) : List.of(100_000, 1_000_000)) {
            samples.put(ObjectGrowth.id(kept), place -> ObjectGrowth.measure(place, kept));
        }
    }

    static boolean isObjectStorage(String url) {
        return url.startsWith(PREFIX);
    }

    BenchReport run() throws Exception {
        List<Map.Entry<String, Sample>> wanted = samples.entrySet().stream()
                .filter(sample -> options.wants(sample.getKey()))
                .toList();
        if (wanted.isEmpty()) {
            throw new InvalidInput("No measure starts with \"" + String.join("\", \"", options.only()) + "\". The"
                    + " measures are: " + List.copyOf(samples.keySet()));
        }
        List<Result> results = new ArrayList<>();
        for (Map.Entry<String, Sample> sample : wanted) {
            progress.at(results.size(), wanted.size(), sample.getKey());
            try (ObjectPlace place = ObjectPlace.below(options.store())) {
                results.add(sample.getValue().take(place));
            }
        }
        progress.at(wanted.size(), wanted.size(), "done");
        BenchReport report = new BenchReport(
                LocalDate.now(ZoneOffset.UTC).toString(),
                Bench.machine(),
                options.brief() ? "brief" : "full",
                Map.of("object storage, added to each PUT", delay.toMillis() + " ms"),
                List.of(),
                List.of(),
                results,
                goals(results));
        Path output = options.output();
        if (output != null) {
            report.writeTo(output);
        }
        return report;
    }

    private static List<Goal> goals(List<Result> results) {
        List<Goal> goals = new ArrayList<>();
        for (Result result : results) {
            switch (result.id()) {
                case "life-1-batch" -> {
                    goals.add(new Goal("one process, tasks/s", true, 2_000, value(result)));
                    goals.add(requests(result, "one process"));
                    goals.add(new Goal(
                            "one process, $ per million tasks", false, 1, detail(result, "$ per million tasks")));
                }
                case "life-4-batch" -> {
                    goals.add(new Goal("four processes, tasks/s", true, 1_000, value(result)));
                    goals.add(requests(result, "four processes"));
                }
                case ObjectCosts.REQUESTS ->
                    goals.add(
                            new Goal("requests of a single submission", false, 3, detail(result, ObjectCosts.SINGLE)));
                case ObjectTurns.ID ->
                    goals.add(
                            new Goal("longest wait of 16 processes, s", false, 5, detail(result, ObjectTurns.LONGEST)));
                default -> {}
            }
        }
        return goals;
    }

    private static Goal requests(Result result, String who) {
        return new Goal(who + ", requests per task", false, 0.1, detail(result, "requests per task"));
    }

    private static double value(Result result) {
        return result.ours().median();
    }

    private static double detail(Result result, String name) {
        return result.details().getOrDefault(name, Double.NaN);
    }
}
