package dev.semel.storetests.simulation;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** A source of randomness. All randomness of a simulation is derived from one seed, split once for each actor. */
final class RandomSource {

    private final SplittableRandom random;

    RandomSource(long seed) {
        this(new SplittableRandom(seed));
    }

    private RandomSource(SplittableRandom random) {
        this.random = random;
    }

    /** Returns a source of its own for an actor: its numbers do not change those of others. */
    RandomSource split() {
        return new RandomSource(random.split());
    }

    RandomGenerator generator() {
        return random;
    }

    boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    /** A number between two others, both included. */
    int between(int least, int most) {
        return random.nextInt(least, most + 1);
    }

    /** A time between two others, all alike. */
    Duration millis(long least, long most) {
        return Duration.ofNanos(random.nextLong(least * 1_000_000, most * 1_000_000 + 1));
    }

    /** A time between two others, of which the short ones are as likely as the long ones: 1 to 10 as 10 to 100. */
    Duration spread(long leastMillis, long mostMillis) {
        double exponent = random.nextDouble() * StrictMath.log((double) mostMillis / leastMillis);
        return Duration.ofNanos((long) (leastMillis * 1e6 * StrictMath.exp(exponent)));
    }

    <T> T oneOf(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }
}
