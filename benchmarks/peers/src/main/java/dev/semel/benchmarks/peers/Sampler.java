package dev.semel.benchmarks.peers;

import dev.semel.benchmarks.Lap;
import dev.semel.benchmarks.RawPostgres;
import dev.semel.benchmarks.peers.Measure.RawSample;
import dev.semel.benchmarks.peers.Measure.Reading;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Takes the samples of a measure: all contestants in turns, each with as many tasks as fill the time, after a warm-up.
 */
final class Sampler {

    // The first sample is small and cold, and would make the samples of a fast contestant too small.
    private static final int TRIALS = 2;

    private static final String RAW_SCHEMA = "raw";

    private final Server server;
    private final Scale scale;
    private final List<Contestant> contestants;

    Sampler(Server server, Scale scale, List<Contestant> contestants) {
        this.server = server;
        this.scale = scale;
        this.contestants = contestants;
    }

    private interface Turn {
        Reading take(int number);
    }

    Figures take(Measure measure) {
        Map<String, Turn> turns = turns(measure);
        Map<String, Integer> tasks = new LinkedHashMap<>();
        turns.forEach((name, turn) -> {
            int number = measure.least();
            for (int i = 0; i < TRIALS; i++) {
                number = number(measure, turn.take(number).lap().perSecond(number));
            }
            tasks.put(name, number);
        });
        Figures.Collector collector = new Figures.Collector();
        for (int i = 0; i < scale.repeats(); i++) {
            turns.forEach((name, turn) -> {
                int number = tasks.getOrDefault(name, measure.least());
                Reading reading = turn.take(number);
                collector.add(name, reading.lap().perSecond(number));
                reading.details().forEach((detail, value) -> collector.detail(detail, name, value));
            });
        }
        return new Figures(
                measure.id(),
                measure.section(),
                measure.title(),
                measure.section().equals(Measures.WORKFLOWS) ? "workflows/s" : "tasks/s",
                true,
                collector.series(),
                tasks,
                collector.details());
    }

    private int number(Measure measure, double perSecond) {
        // Whole thousands, because a batch has a thousand.
        int wanted = (int) Math.round(perSecond * scale.seconds() / 1_000) * 1_000;
        return Math.clamp(wanted, measure.least(), measure.most());
    }

    private Map<String, Turn> turns(Measure measure) {
        Map<String, Turn> turns = new LinkedHashMap<>();
        for (Contestant contestant : contestants) {
            if (measure.takesPart().test(contestant)) {
                turns.put(contestant.name(), number -> measure.sample().take(contestant, number));
            }
        }
        RawSample raw = measure.raw();
        if (raw != null) {
            turns.put(Figures.RAW, number -> raw(raw, number));
        }
        return turns;
    }

    private Reading raw(RawSample sample, int number) {
        try (Place place = server.fresh(Figures.RAW, source -> new RawPostgres(source, RAW_SCHEMA).close())) {
            Lap lap;
            try (RawPostgres raw = new RawPostgres(place.source(), RAW_SCHEMA)) {
                server.settle();
                lap = sample.take(raw, number);
            }
            Map<String, Double> details = new LinkedHashMap<>();
            details.put(Measures.LOG, lap.loggedPer(number));
            details.put(Measures.DEAD, (double) place.deadRows() / number);
            return new Reading(lap, details);
        }
    }
}
