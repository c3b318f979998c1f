package dev.semel.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Tasks per second: ours and raw in turns, each on a fresh place, after a smaller sample of both that does not count. */
record Throughput(
        String id,
        String section,
        String title,
        StoreUnderTest storage,
        int number,
        int repeats,
        OursSample ours,
        @Nullable RawSample raw)
        implements Measure {

    private static final String OURS_PROCESSOR = "processor, µs per task";
    private static final String RAW_PROCESSOR = "raw";

    /** A sample of ours: how long the measured part took, and what else was seen. */
    interface OursSample {
        Reading take(StoreUnderTest.Place place, int number);
    }

    /** A sample of the raw limit: how long the measured part took. */
    interface RawSample {
        Lap take(RawStore raw, int number);
    }

    /** A sample. */
    record Reading(Lap lap, Map<String, Double> details) {

        static Reading of(Lap lap) {
            return new Reading(lap, Map.of());
        }
    }

    @Override
    public Result take() {
        takeOurs(number / 4);
        takeRaw(number / 4);
        List<Double> oursPerSecond = new ArrayList<>();
        List<Double> rawPerSecond = new ArrayList<>();
        Map<String, List<Double>> details = new LinkedHashMap<>();
        for (int i = 0; i < repeats; i++) {
            Reading reading = takeOurs(number);
            oursPerSecond.add(reading.lap().perSecond(number));
            note(details, OURS_PROCESSOR, reading.lap().processorMicrosPer(number));
            reading.details().forEach((name, value) -> note(details, name, value));
            Lap lap = takeRaw(number);
            if (lap != null) {
                rawPerSecond.add(lap.perSecond(number));
                note(details, RAW_PROCESSOR, lap.processorMicrosPer(number));
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

    private Reading takeOurs(int tasks) {
        try (StoreUnderTest.Place place = storage.fresh()) {
            return ours.take(place, tasks);
        }
    }

    private @Nullable Lap takeRaw(int tasks) {
        if (raw == null) {
            return null;
        }
        try (StoreUnderTest.Place place = storage.fresh();
                RawStore store = place.openRaw()) {
            return raw.take(store, tasks);
        }
    }

    private static void note(Map<String, List<Double>> details, String name, double value) {
        details.computeIfAbsent(name, none -> new ArrayList<>()).add(value);
    }
}
