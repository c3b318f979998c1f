package dev.semel.storetests.simulation;

import java.time.Duration;
import java.util.List;

/**
 * What kind of world a seed makes. Each fault is left out of some worlds altogether: a world with all faults at once
 * hides what happens with only one of them.
 *
 * @param submitters how many submit
 * @param workers how many worker processes run at once
 * @param keys how many keys the submitters share
 * @param busy how long things are submitted and go wrong
 * @param pause the mean time between two submissions of one submitter
 * @param lease the lease of the workers
 * @param maxVanished how often an attempt may vanish before its task is buried
 * @param network how often calls go wrong
 * @param workerFaults how often worker processes go wrong
 * @param thief whether a thief steals leases
 * @param operator whether an operator cancels, redrives, releases and sweeps
 * @param storeJumps whether the store's clock jumps
 * @param poison whether some handlers kill their process
 * @param provider how often calls of handlers to the provider fail
 */
record Scenario(
        int submitters,
        int workers,
        int keys,
        Duration busy,
        Duration pause,
        Duration lease,
        int maxVanished,
        NetworkFaults network,
        WorkerFaults workerFaults,
        boolean thief,
        boolean operator,
        boolean storeJumps,
        boolean poison,
        ProviderFaults provider) {

    /**
     * How often calls go wrong.
     *
     * @param requestLost the share of requests that never arrive
     * @param answerLost the share of answers that never arrive
     * @param late the share of requests that arrive after their sender has given up
     * @param hintLost the share of hints that never arrive
     * @param slowest the longest way in milliseconds
     * @param patience the longest time in milliseconds for which a lost answer is waited for
     */
    record NetworkFaults(
            double requestLost, double answerLost, double late, double hintLost, int slowest, int patience) {}

    /**
     * How often worker processes go wrong.
     *
     * @param crashPerEvent the share of a process's events before which it crashes
     * @param freezes whether processes freeze
     * @param closes whether processes are closed
     * @param clockJumps whether the clocks of processes jump
     */
    record WorkerFaults(double crashPerEvent, boolean freezes, boolean closes, boolean clockJumps) {}

    /**
     * How often calls of handlers to the provider fail.
     *
     * @param requestLost the share of calls that never arrive
     * @param answerLost the share of calls that are done and not answered
     * @param late the share of calls that are done after the handler has given up
     * @param refused the share of calls that are answered with a rejection
     */
    record ProviderFaults(double requestLost, double answerLost, double late, double refused) {}

    static Scenario drawn(RandomSource randomness) {
        return new Scenario(
                randomness.between(1, 3),
                randomness.between(1, 3),
                randomness.between(1, 5),
                randomness.millis(20_000, 60_000),
                randomness.spread(600, 5_000),
                randomness.millis(1_000, 4_000),
                randomness.between(1, 3),
                new NetworkFaults(
                        share(randomness, 0.10),
                        share(randomness, 0.15),
                        share(randomness, 0.05),
                        share(randomness, 0.6),
                        randomness.oneOf(List.of(2, 20, 200)),
                        3_000),
                new WorkerFaults(
                        share(randomness, 0.01),
                        randomness.chance(0.6),
                        randomness.chance(0.5),
                        randomness.chance(0.5)),
                randomness.chance(0.5),
                randomness.chance(0.75),
                randomness.chance(0.4),
                randomness.chance(0.5),
                new ProviderFaults(
                        share(randomness, 0.2),
                        share(randomness, 0.3),
                        share(randomness, 0.2),
                        share(randomness, 0.3)));
    }

    /** The same world without faults outside of handlers. */
    Scenario withoutFaults() {
        return new Scenario(
                submitters,
                workers,
                keys,
                busy,
                pause,
                lease,
                maxVanished,
                new NetworkFaults(0, 0, 0, 0, network.slowest(), network.patience()),
                new WorkerFaults(0, false, workerFaults.closes(), workerFaults.clockJumps()),
                false,
                operator,
                false,
                false,
                provider);
    }

    /** The same world without faults, but for calls that fail now and then, and soon enough to be repeated in time. */
    Scenario withLostCallsOnly() {
        Scenario calm = withoutFaults();
        return new Scenario(
                submitters,
                workers,
                keys,
                busy,
                pause,
                Duration.ofSeconds(6),
                maxVanished,
                new NetworkFaults(0.05, 0.05, 0, 0.5, 5, 200),
                calm.workerFaults,
                calm.thief,
                calm.operator,
                calm.storeJumps,
                calm.poison,
                provider);
    }

    /** Nothing in a third of all worlds. */
    private static double share(RandomSource randomness, double most) {
        return randomness.chance(0.33) ? 0 : most * randomness.between(1, 100) / 100;
    }
}
