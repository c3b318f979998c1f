package dev.semel.storetests.storm;

import java.util.SplittableRandom;

/**
 * The activities of one round. Not everything at once: where a window passes or an answer is lost, more orders are possible, and the
 * checker can say less.
 *
 * @param expiry whether windows are short enough to pass
 * @param releases whether keys are released
 * @param sweeps whether the store is swept
 * @param shortLeases whether leases expire before their worker settles
 * @param faults the share of calls that fail, before or after they are done
 * @param interrupts whether threads are interrupted in their calls
 * @param disturbances whether the surroundings of the store are disturbed, for example its connections cut
 * @param processes whether another process is at work on the store as well, and killed now and then if the surroundings are
 *     disturbed
 * @param operators whether tasks are cancelled, redriven and looked at
 * @param effects whether attempts record effects
 * @param mutexes whether tasks share mutexes
 * @param joins whether submissions join transactions
 * @param schedules whether actors move schedules forward, whose ticks create and cancel tasks
 */
record StormWeather(
        boolean expiry,
        boolean releases,
        boolean sweeps,
        boolean shortLeases,
        double faults,
        boolean interrupts,
        boolean disturbances,
        boolean processes,
        boolean operators,
        boolean effects,
        boolean mutexes,
        boolean joins,
        boolean schedules) {

    /** The weather of a seed: every third round everything that is answered, every third also what is lost. */
    static StormWeather of(long seed) {
        SplittableRandom random = new SplittableRandom(seed ^ 0x5EA5_0000L);
        int kind = (int) Math.floorMod(seed, 3L);
        if (kind == 0) {
            // One key, one task, with nothing in the way: the strictest check.
            return new StormWeather(
                    false,
                    false,
                    false,
                    false,
                    0,
                    false,
                    false,
                    random.nextBoolean(),
                    random.nextBoolean(),
                    false,
                    false,
                    false,
                    random.nextBoolean());
        }
        boolean rough = kind == 2;
        return new StormWeather(
                random.nextInt(3) > 0,
                random.nextInt(3) > 0,
                random.nextInt(3) > 0,
                random.nextInt(3) > 0,
                rough && random.nextInt(4) > 0 ? 0.04 : 0,
                rough && random.nextBoolean(),
                rough && random.nextBoolean(),
                random.nextBoolean(),
                true,
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean());
    }

    /** Whether a series of runs can end, so that the next task is run 1 again. */
    boolean seriesEnd() {
        return expiry || releases;
    }
}
