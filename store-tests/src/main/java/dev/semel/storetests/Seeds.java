package dev.semel.storetests;

import java.util.function.LongConsumer;
import java.util.stream.LongStream;

/** Runs a random test for many seeds, and names the seed that failed. */
final class Seeds {

    private Seeds() {}

    /**
     * Runs a test with the seeds 0, 1, 2 and so on, or with the one that {@code -Dseed} names.
     *
     * @param count how many seeds, unless {@code -Dseeds} says otherwise
     * @param test the test
     */
    static void each(int count, LongConsumer test) {
        Long chosen = Long.getLong("seed");
        LongStream seeds =
                chosen == null ? LongStream.range(0, Integer.getInteger("seeds", count)) : LongStream.of(chosen);
        seeds.forEach(seed -> {
            try {
                test.accept(seed);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("Failed with seed " + seed + "; run it alone with -Dseed=" + seed, e);
            }
        });
    }
}
