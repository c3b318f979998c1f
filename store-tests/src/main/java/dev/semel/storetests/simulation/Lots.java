package dev.semel.storetests.simulation;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** Draws lots. All chance in a simulation comes from one seed, split once for each actor. */
final class Lots {

    private final SplittableRandom random;

    Lots(long seed) {
        this(new SplittableRandom(seed));
    }

    private Lots(SplittableRandom random) {
        this.random = random;
    }

    /** Lots of their own for an actor: what it draws does not move what others draw. */
    Lots split() {
        return new Lots(random.split());
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
