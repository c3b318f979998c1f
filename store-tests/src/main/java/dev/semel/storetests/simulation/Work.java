package dev.semel.storetests.simulation;

import java.util.List;

/**
 * The input of a simulated task: what its handler will do.
 *
 * @param number distinguishes inputs
 * @param does what the handler does at the end
 * @param times under how many first attempts it fails or snoozes, before it succeeds
 * @param effects the effects that it has before that, one after the other; those of one kind are numbered
 */
record Work(int number, Deed does, int times, List<Policy> effects) {

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
