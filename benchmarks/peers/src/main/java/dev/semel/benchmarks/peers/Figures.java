package dev.semel.benchmarks.peers;

import dev.semel.benchmarks.Series;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The result of one measure.
 *
 * @param id its name, for filters and programs
 * @param section the section of the report
 * @param title its name for people
 * @param unit the unit of the figures
 * @param more whether more is better
 * @param series the figures by contestant, in the order of turns; a contestant that cannot take the measure is missing
 * @param tasks the number of tasks of a sample, by contestant
 * @param details further figures by name and contestant
 */
record Figures(
        String id,
        String section,
        String title,
        String unit,
        boolean more,
        Map<String, Series> series,
        Map<String, Integer> tasks,
        Map<String, Map<String, Series>> details) {

    /** The name of Semel. */
    static final String SEMEL = "Semel";

    /** The name of the raw limit. */
    static final String RAW = "raw";

    /** Copies the maps and keeps their order. */
    Figures {
        series = Collections.unmodifiableMap(new LinkedHashMap<>(series));
        tasks = Collections.unmodifiableMap(new LinkedHashMap<>(tasks));
        details = Collections.unmodifiableMap(new LinkedHashMap<>(details));
    }

    Optional<Double> median(String contestant) {
        return Optional.ofNullable(series.get(contestant)).map(Series::median);
    }

    /** Returns the name of the best other library, without raw. */
    Optional<String> bestPeer() {
        Comparator<Map.Entry<String, Series>> byMedian =
                Comparator.comparingDouble(entry -> entry.getValue().median());
        return series.entrySet().stream()
                .filter(entry ->
                        !entry.getKey().equals(SEMEL) && !entry.getKey().equals(RAW))
                .max(more ? byMedian : byMedian.reversed())
                .map(Map.Entry::getKey);
    }

    /** Returns the median of the ratios of samples that were taken in the same turn. */
    Optional<Double> ratio(String one, String other) {
        Series ones = series.get(one);
        Series others = series.get(other);
        if (ones == null || others == null) {
            return Optional.empty();
        }
        int turns = Math.min(ones.samples().size(), others.samples().size());
        Double[] ratios = new Double[turns];
        for (int i = 0; i < turns; i++) {
            ratios[i] = ones.samples().get(i) / others.samples().get(i);
        }
        return Optional.of(new Series(Arrays.asList(ratios)).median());
    }

    Optional<Double> toBestPeer() {
        return bestPeer().flatMap(peer -> ratio(SEMEL, peer));
    }

    /** Collects samples turn by turn. */
    static final class Collector {

        private final Map<String, List<Double>> samples = new LinkedHashMap<>();
        private final Map<String, Map<String, List<Double>>> details = new LinkedHashMap<>();

        void add(String contestant, double figure) {
            samples.computeIfAbsent(contestant, none -> new ArrayList<>()).add(figure);
        }

        void detail(String name, String contestant, double figure) {
            details.computeIfAbsent(name, none -> new LinkedHashMap<>())
                    .computeIfAbsent(contestant, none -> new ArrayList<>())
                    .add(figure);
        }

        Map<String, Series> series() {
            return series(samples);
        }

        Map<String, Map<String, Series>> details() {
            Map<String, Map<String, Series>> all = new LinkedHashMap<>();
            details.forEach((name, values) -> all.put(name, series(values)));
            return all;
        }

        private static Map<String, Series> series(Map<String, List<Double>> values) {
            Map<String, Series> series = new LinkedHashMap<>();
            values.forEach((name, list) -> series.put(name, new Series(list)));
            return series;
        }
    }
}
