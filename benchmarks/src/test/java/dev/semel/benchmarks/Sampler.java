package dev.semel.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A process that takes one sample of a measure for each line that it reads, so that the samples of two commits can
 * alternate while both stay warm. {@link Comparison} puts this class in front of the class path of each commit: it uses
 * no more of the benchmarks than both have.
 */
final class Sampler {

    // A sample of about a second on two cores.
    private static final Scale SCALE = new Scale(
            2_000, 5_000, 20_000, 60_000, 50_000, 60, 3, List.of(0, 50_000), List.of(10_000, 50_000), 20_000, 0, 1);

    private Sampler() {}

    /**
     * Takes samples until its input ends.
     *
     * @param arguments the URL of the store, then prefixes of the names of measures
     * @throws Exception if a sample failed
     */
    public static void main(String[] arguments) throws Exception {
        List<String> only = List.of(arguments).subList(1, arguments.length);
        Map<String, Measure> measures = Measures.of(StoreUnderTest.of(arguments[0]), SCALE).stream()
                .filter(measure -> only.stream().anyMatch(measure.id()::equals))
                .collect(Collectors.toMap(Measure::id, Function.identity()));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String id = in.readLine(); id != null; id = in.readLine()) {
            Measure measure = measures.get(id);
            if (measure == null) {
                throw new IOException("No measure is called \"" + id + "\". The measures are: " + measures.keySet());
            }
            System.out.println(sample(measure));
        }
    }

    /** Returns figures and their units, separated by tabs. */
    private static String sample(Measure measure) throws Exception {
        if (measure instanceof Throughput throughput) {
            // Without the raw limit and without a warm-up of its own: the first pairs are the warm-up.
            try (StoreUnderTest.Place place = throughput.storage().fresh()) {
                int number = throughput.number();
                Lap lap = throughput.ours().take(place, number).lap();
                String rate = "tasks/s\t" + lap.perSecond(number);
                return lap.logged() == 0 ? rate : rate + "\tbytes of log\t" + lap.loggedPer(number);
            }
        }
        Result result = measure.take();
        return result.unit() + "\t" + Series.median(result.ours().samples());
    }
}
