package dev.semel.benchmarks;

import java.util.List;

/**
 * The sizes of samples: large enough to average out short disturbances of the machine, small enough to finish in
 * reasonable time.
 *
 * @param one submissions of a single caller
 * @param eight submissions of eight callers
 * @param many submissions of 64 callers
 * @param batch submissions in batches
 * @param tasks tasks of a drain or of a whole life
 * @param pings samples of the idle latency
 * @param idleSeconds how long an idle worker is measured
 * @param history sizes of the history
 * @param backlog sizes of the backlog
 * @param dead the number of rows that are deleted while a transaction stays open
 * @param warmUps the number of rounds before the first sample
 * @param repeats how often each sample is taken
 */
record Scale(
        int one,
        int eight,
        int many,
        int batch,
        int tasks,
        int pings,
        int idleSeconds,
        List<Integer> history,
        List<Integer> backlog,
        int dead,
        int warmUps,
        int repeats) {

    static final Scale BRIEF = new Scale(
            800, 2_000, 6_000, 15_000, 12_000, 60, 3, List.of(0, 50_000), List.of(10_000, 50_000), 20_000, 4, 3);

    static final Scale FULL = new Scale(
            4_000,
            10_000,
            40_000,
            150_000,
            100_000,
            400,
            10,
            List.of(0, 200_000, 1_000_000),
            List.of(10_000, 500_000),
            200_000,
            10,
            3);
}
