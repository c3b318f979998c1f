package dev.semel.storetests.simulation;

import java.time.Duration;
import java.util.List;

/**
 * What kind of world a seed makes. Each fault is left out of some worlds altogether: a world in which everything goes wrong
 * at once hides what goes wrong when only one thing does.
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
 * @param thief whether somebody steals leases
 * @param operator whether somebody cancels, redrives, releases and sweeps
 * @param storeJumps whether the store's clock jumps
 * @param poison whether some handlers kill their process
 * @param provider how often calls of handlers to somebody outside go wrong
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
     * How often calls of handlers to somebody outside go wrong.
     *
     * @param requestLost the share of calls that never arrive
     * @param answerLost the share of calls that are done and not answered
     * @param late the share of calls that are done after the handler has given up
     * @param refused the share of calls that are answered with a refusal
     */
    record ProviderFaults(double requestLost, double answerLost, double late, double refused) {}

    static Scenario drawn(Lots lots) {
        return new Scenario(
                lots.between(1, 3),
                lots.between(1, 3),
                lots.between(1, 5),
                lots.millis(20_000, 60_000),
                lots.spread(600, 5_000),
                lots.millis(1_000, 4_000),
                lots.between(1, 3),
                new NetworkFaults(
                        share(lots, 0.10),
                        share(lots, 0.15),
                        share(lots, 0.05),
                        share(lots, 0.6),
                        lots.oneOf(List.of(2, 20, 200)),
                        3_000),
                new WorkerFaults(share(lots, 0.01), lots.chance(0.6), lots.chance(0.5), lots.chance(0.5)),
                lots.chance(0.5),
                lots.chance(0.75),
                lots.chance(0.4),
                lots.chance(0.5),
                new ProviderFaults(share(lots, 0.2), share(lots, 0.3), share(lots, 0.2), share(lots, 0.3)));
    }

    /** The same world, in which nothing goes wrong that is not in a handler. */
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
    private static double share(Lots lots, double most) {
        return lots.chance(0.33) ? 0 : most * lots.between(1, 100) / 100;
    }
}
