package dev.semel.benchmarks.http;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Samples that were taken in turns with others. */
final class Samples {

    private final List<Double> values = new ArrayList<>();

    void add(double value) {
        values.add(value);
    }

    double median() {
        return median(values);
    }

    /** Returns the median of the ratios of samples that were taken next to each other. */
    double ratioTo(Samples other) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            ratios.add(values.get(i) / other.values.get(i));
        }
        return median(ratios);
    }

    static double median(List<Double> values) {
        List<Double> sorted = new ArrayList<>(values);
        sorted.sort(Comparator.naturalOrder());
        return sorted.get(sorted.size() / 2);
    }

    /** Returns the median, with all samples. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(String.format(Locale.ROOT, "%,.0f (", median()));
        for (int i = 0; i < values.size(); i++) {
            text.append(i == 0 ? "" : "; ").append(String.format(Locale.ROOT, "%,.0f", values.get(i)));
        }
        return text.append(')').toString();
    }
}
