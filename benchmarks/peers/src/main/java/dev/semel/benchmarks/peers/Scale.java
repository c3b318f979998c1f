package dev.semel.benchmarks.peers;

/**
 * The sizes of samples.
 *
 * @param seconds how long a sample should take; the number of tasks is chosen for each contestant from its sample
 *     before
 * @param repeats how often each sample is taken
 * @param pings samples of the idle latency in each repeat
 * @param looks the number of polls of a rarely polling contestant in each repeat of the idle latency
 * @param warmUps the number of warm-ups of each contestant before the first sample
 * @param races the number of keys in the race
 */
record Scale(double seconds, int repeats, int pings, int looks, int warmUps, int races) {

    static final Scale BRIEF = new Scale(0.4, 3, 60, 1, 1, 300);

    static final Scale FULL = new Scale(2.0, 3, 300, 3, 3, 1_000);
}
