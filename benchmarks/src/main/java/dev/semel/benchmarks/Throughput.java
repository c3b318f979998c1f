package dev.semel.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Tasks per second: Semel and raw in turns, each on a new place, after a smaller warm-up sample of both. */
record Throughput(
        String id,
        String section,
        String title,
        StoreUnderTest storage,
        int number,
        int repeats,
        OursSample ours,
        @Nullable RawSample raw,
        @Nullable RawSample single)
        implements Measure {

    /** The name of the raw limit of callers that share nothing: a commit for each task. */
    static final String SINGLE = "raw with a commit for each task, tasks/s";

    /** The name of the ratio of Semel to it. */
    static final String TO_SINGLE = "ratio to that";

    /** The name of the number of bytes that a task writes to the log of the storage. */
    static final String LOGGED = "WAL, bytes per task";

    private static final String RAW_LOGGED = "raw WAL";
    private static final String DIED = "dead rows per task";
    private static final String RAW_DIED = "raw dead rows";
    private static final String OURS_PROCESSOR = "processor, µs per task";
    private static final String RAW_PROCESSOR = "raw";

    /** A sample of Semel: the duration of the measured part, and further figures. */
    interface OursSample {
        Reading take(StoreUnderTest.Place place, int number);
    }

    /** A sample of the raw limit: the duration of the measured part. */
    interface RawSample {
        Lap take(RawStore raw, int number);
    }

    /** A sample. */
    record Reading(Lap lap, Map<String, Double> details) {

        static Reading of(Lap lap) {
            return new Reading(lap, Map.of());
        }
    }

    private record Sampled(Reading reading, long died) {

        Lap lap() {
            return reading.lap();
        }
    }

    @Override
    public Result take() {
        takeOurs(number / 4);
        List<Double> oursPerSecond = new ArrayList<>();
        List<Double> rawPerSecond = new ArrayList<>();
        Map<String, List<Double>> details = new LinkedHashMap<>();
        if (raw != null) {
            takeRaw(raw, number / 4);
        }
        if (single != null) {
            takeRaw(single, number / 4);
        }
        for (int i = 0; i < repeats; i++) {
            Sampled sampled = takeOurs(number);
            double perSecond = sampled.lap().perSecond(number);
            oursPerSecond.add(perSecond);
            note(details, OURS_PROCESSOR, sampled.lap().processorMicrosPer(number));
            sampled.reading().details().forEach((name, value) -> note(details, name, value));
            noteCounted(details, LOGGED, DIED, sampled);
            if (raw != null) {
                Sampled beside = takeRaw(raw, number);
                rawPerSecond.add(beside.lap().perSecond(number));
                note(details, RAW_PROCESSOR, beside.lap().processorMicrosPer(number));
                noteCounted(details, RAW_LOGGED, RAW_DIED, beside);
            }
            if (single != null) {
                double alone = takeRaw(single, number).lap().perSecond(number);
                note(details, SINGLE, alone);
                note(details, TO_SINGLE, perSecond / alone);
            }
        }
        Map<String, Double> medians = new LinkedHashMap<>();
        details.forEach((name, values) -> medians.put(name, Series.median(values)));
        return new Result(
                id,
                section,
                title,
                "tasks/s",
                new Series(oursPerSecond),
                raw == null ? null : new Series(rawPerSecond),
                null,
                medians);
    }

    private Sampled takeOurs(int tasks) {
        try (StoreUnderTest.Place place = storage.fresh()) {
            Reading reading = ours.take(place, tasks);
            return new Sampled(reading, place.died());
        }
    }

    private Sampled takeRaw(RawSample sample, int tasks) {
        try (StoreUnderTest.Place place = storage.fresh()) {
            Lap lap;
            try (RawStore store = place.openRaw()) {
                lap = sample.take(store, tasks);
            }
            return new Sampled(Reading.of(lap), place.died());
        }
    }

    private void noteCounted(Map<String, List<Double>> details, String logged, String died, Sampled sampled) {
        if (sampled.lap().logged() > 0) {
            note(details, logged, sampled.lap().loggedPer(number));
            note(details, died, sampled.died() / (double) number);
        }
    }

    private static void note(Map<String, List<Double>> details, String name, double value) {
        details.computeIfAbsent(name, none -> new ArrayList<>()).add(value);
    }
}
