package dev.semel.benchmarks.peers;

import dev.semel.benchmarks.Lap;
import dev.semel.benchmarks.RawStore;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A measure: tasks per second of every contestant that supports it, and of raw if there is such a limit.
 *
 * @param id its name, for filters and programs
 * @param section the section of the report
 * @param title its name for people
 * @param least the minimum number of tasks of a sample
 * @param most the maximum number of tasks of a sample
 * @param takesPart whether a contestant supports the measure
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

    /** The result of one sample: the duration of the measured part, and further figures by name. */
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
