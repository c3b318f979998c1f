package dev.semel.benchmarks;

import java.util.Arrays;
import java.util.List;

/**
 * The values of repeated samples.
 *
 * @param samples in the order in which they were taken
 */
public record Series(List<Double> samples) {

    /** Copies the list. */
    public Series {
        samples = List.copyOf(samples);
    }

    /**
     * Returns the median sample.
     *
     * @return the median
     */
    public double median() {
        return median(samples);
    }

    /**
     * Returns the spread of the samples.
     *
     * @return the difference between the largest and the smallest, as a share of the median
     */
    public double spread() {
        double[] sorted = sorted(samples);
        return (sorted[sorted.length - 1] - sorted[0]) / median();
    }

    /** Returns the median of the ratios of samples that were taken next to each other. */
    double ratioTo(Series other) {
        Double[] ratios = new Double[samples.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = samples.get(i) / other.samples.get(i);
        }
        return median(Arrays.asList(ratios));
    }

    static double median(List<Double> values) {
        double[] sorted = sorted(values);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    private static double[] sorted(List<Double> values) {
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(sorted);
        return sorted;
    }
}
