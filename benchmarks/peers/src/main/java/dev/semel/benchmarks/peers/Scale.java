package dev.semel.benchmarks.peers;

/**
 * How large the samples are.
 *
 * @param seconds how long a sample should take: so many tasks are chosen for each contestant, by what the one before gave
 * @param repeats how often each sample is taken
 * @param pings samples of the idle latency in each repeat
 * @param looks how often a contestant that looks seldom does so in each repeat of the idle latency
 * @param warmUps how often each contestant does everything once before the first sample
 * @param races how many keys are raced for
 */
record Scale(double seconds, int repeats, int pings, int looks, int warmUps, int races) {

    static final Scale BRIEF = new Scale(0.4, 3, 60, 1, 1, 300);

    static final Scale FULL = new Scale(2.0, 3, 300, 3, 3, 1_000);
}
