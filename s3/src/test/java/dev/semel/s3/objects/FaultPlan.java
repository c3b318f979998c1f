package dev.semel.s3.objects;

import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** Decides what happens to each request of a process. */
@FunctionalInterface
public interface FaultPlan {

    /**
     * Decides about the next request.
     *
     * @param number one-based number of the request of this process
     * @return what happens to it
     */
    Fault next(long number);

    /** {@return a plan without faults} */
    static FaultPlan calm() {
        return number -> Fault.NONE;
    }

    /**
     * Returns a plan that lets one request fail.
     *
     * @param at its one-based number
     * @param fault what happens to it
     * @return the plan
     */
    static FaultPlan at(long at, Fault fault) {
        return number -> number == at ? fault : Fault.NONE;
    }

    /**
     * Returns a plan that lets requests fail at random, but kills nothing.
     *
     * @param seed the seed
     * @param share the share of requests that something happens to, 0 to 1
     * @return the plan
     */
    static FaultPlan seeded(long seed, double share) {
        RandomGenerator random = new SplittableRandom(seed);
        Fault[] faults = {
            Fault.CONFLICT,
            Fault.UNAVAILABLE,
            Fault.ERROR_BEFORE,
            Fault.ERROR_AFTER,
            Fault.TIMEOUT_AFTER,
            Fault.APPLIED_LATER,
            Fault.SENT_TWICE,
            Fault.SLOW,
            Fault.STALE_LIST
        };
        return number -> {
            synchronized (random) {
                return random.nextDouble() < share ? faults[random.nextInt(faults.length)] : Fault.NONE;
            }
        };
    }
}
