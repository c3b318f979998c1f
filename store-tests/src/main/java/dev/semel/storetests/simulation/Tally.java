package dev.semel.storetests.simulation;

import java.util.EnumMap;
import java.util.Map;

/** Counts what happened. */
final class Tally {

    private final Map<Happening, Integer> counts = new EnumMap<>(Happening.class);

    void count(Happening happening) {
        count(happening, 1);
    }

    void count(Happening happening, int times) {
        if (times > 0) {
            counts.merge(happening, times, Integer::sum);
        }
    }

    Map<Happening, Integer> counts() {
        return counts;
    }
}
