package dev.semel.testkit.simulation;

/**
 * The input of a simulated task: what its handler will do.
 *
 * @param number tells inputs apart
 * @param does what the handler does at the end
 * @param times under how many first attempts it fails or snoozes, before it succeeds
 */
record Work(int number, Deed does, int times) {

    /** What a handler does. */
    enum Deed {
        /** Returns a result. */
        SUCCEED,
        /** Returns nothing. */
        RETURN_NOTHING,
        /** Throws, then succeeds. */
        FAIL,
        /** Says that no retry would help. */
        FAIL_FOR_GOOD,
        /** Wants to be called again later, then succeeds. */
        SNOOZE,
        /** Kills its process. */
        KILL
    }
}
