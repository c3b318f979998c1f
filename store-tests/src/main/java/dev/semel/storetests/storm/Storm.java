package dev.semel.storetests.storm;

import java.time.Duration;
import java.util.Locale;

/**
 * A storm: rounds of random calls by many threads on a fresh store each, judged one by one, so that a long storm needs no more
 * memory than a short one. See the package documentation.
 */
public final class Storm {

    private static final long REPORT_NANOS = 30_000_000_000L;

    private static final int MOST_CALLS = 500;

    // Far above what any call takes: a thread that is not back by then hangs.
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private Storm() {}

    /**
     * Runs rounds, with one seed after the other, and fails with the first violation.
     *
     * @param storage the store to try
     * @param firstSeed the seed of the first round
     * @param roundLength how long the calls of one round last
     * @param length how long the storm lasts; one round is run in any case
     * @throws AssertionError if a law is broken; it names the seed, the identity and the operations in order
     * @throws InterruptedException if the thread is interrupted
     */
    public static void run(StormStorage storage, long firstSeed, Duration roundLength, Duration length)
            throws InterruptedException {
        long begin = System.nanoTime();
        long reported = begin;
        long calls = 0;
        long lost = 0;
        long undecided = 0;
        long seed = firstSeed;
        System.out.println("Storm begins with seed " + firstSeed + "; -Dseed=N begins with another one");
        do {
            StormRound round = new StormRound(storage, seed, MOST_CALLS, PATIENCE);
            StormRound.Result result = round.run(roundLength);
            calls += result.calls();
            lost += result.lost();
            undecided += result.undecided();
            if (!result.violations().isEmpty()) {
                throw new AssertionError(
                        "A storm of seed %d broke a law after %.1f s and %d calls, in %s. Repeat it with -Dseed=%d.%n%s"
                                .formatted(
                                        seed,
                                        (System.nanoTime() - begin) / 1e9,
                                        calls,
                                        round.weather(),
                                        seed,
                                        String.join("\n", result.violations())));
            }
            seed++;
            if (System.nanoTime() - reported > REPORT_NANOS) {
                reported = System.nanoTime();
                System.out.println(progress(begin, seed - firstSeed, calls, lost, undecided));
            }
        } while (System.nanoTime() - begin < length.toNanos());
        System.out.println(progress(begin, seed - firstSeed, calls, lost, undecided));
    }

    private static String progress(long begin, long rounds, long calls, long lost, long undecided) {
        return String.format(
                Locale.ROOT,
                "Storm: %.0f s, %d rounds, %d calls, %d of them without an answer, %d identities undecided, no violation",
                (System.nanoTime() - begin) / 1e9,
                rounds,
                calls,
                lost,
                undecided);
    }
}
