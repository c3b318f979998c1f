package dev.semel.benchmarks.peers;

import dev.semel.benchmarks.Lap;
import dev.semel.benchmarks.RawStore;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One thing that is measured: tasks per second of every contestant that can do it, and of raw where there is such a limit.
 *
 * @param id its name, for filters and programs
 * @param section what it belongs to
 * @param title its name for people
 * @param least how many tasks a sample has at the least
 * @param most how many at the most
 * @param takesPart whether a contestant can do it at all
 * @param sample takes a sample of a contestant
 * @param raw takes a sample of the raw limit, or null
 */
record Measure(
        String id,
        String section,
        String title,
        int least,
        int most,
        Predicate<Contestant> takesPart,
        Sample sample,
        @Nullable RawSample raw) {

    /** What one sample gave: the measured part, and what else was seen, by name. */
    record Reading(Lap lap, Map<String, Double> details) {}

    /** Takes a sample of a contestant. */
    interface Sample {
        Reading take(Contestant contestant, int number);
    }

    /** Takes a sample of the raw limit. */
    interface RawSample {
        Lap take(RawStore raw, int number);
    }
}
