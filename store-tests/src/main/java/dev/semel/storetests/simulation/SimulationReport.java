package dev.semel.storetests.simulation;

import java.util.List;
import java.util.Map;

/**
 * The result of one seed.
 *
 * @param seed the seed
 * @param events how many events happened
 * @param tasks how many tasks were sent
 * @param traceHash the same for the same seed, always
 * @param trace what happened, for people
 * @param happenings what happened how often
 * @param violations what is broken; empty if nothing is
 */
public record SimulationReport(
        long seed,
        int events,
        int tasks,
        String traceHash,
        String trace,
        Map<Happening, Integer> happenings,
        List<Violation> violations) {

    /** Copies. */
    public SimulationReport {
        happenings = Map.copyOf(happenings);
        violations = List.copyOf(violations);
    }
}
