package dev.semel.storetests.simulation;

import java.util.ArrayList;
import java.util.List;

/**
 * The code of one workflow of a simulation, as data: what it does, one after the other. Its result follows from this alone, whatever goes
 * wrong around it, and however often it is restarted.
 *
 * @param number the number of the workflow
 * @param deeds what it does
 * @param first the index of the deed with which this generation begins
 * @param results what the generations before it have done
 */
record FlowProgram(int number, List<Deed> deeds, int first, List<String> results) {

    /** One thing that a workflow does. */
    enum Deed {
        /** Runs one step. */
        STEP,
        /** Starts three steps and waits for all of them. */
        ALL,
        /** Starts two steps and waits for one, then for the other. */
        ANY,
        /** Runs a function of its own, once. */
        LOCAL,
        /** Waits for a time. */
        SLEEP,
        /** Waits for the next signal. */
        SIGNAL,
        /** Starts a step that takes long, and gives it up. */
        GIVE_UP,
        /** Runs a step whose key a task has that no workflow created. */
        SHARED,
        /** Starts a step whose key a task has that no workflow created, and gives it up. */
        GIVE_UP_SHARED,
        /** Continues as new: the deeds behind this one are done by another generation, with what was done so far as its input. */
        ANEW,
        /** Starts a step with a key, waits for a signal, and gives the step up: by then another workflow waits for it. */
        LEND,
        /** Runs the step that another workflow has lent. */
        BORROW
    }

    private static final List<Deed> ALONE = List.of(
            Deed.STEP,
            Deed.ALL,
            Deed.ANY,
            Deed.LOCAL,
            Deed.SLEEP,
            Deed.SIGNAL,
            Deed.SIGNAL,
            Deed.GIVE_UP,
            Deed.SHARED,
            Deed.GIVE_UP_SHARED,
            Deed.ANEW,
            Deed.ANEW);

    /** Copies. */
    FlowProgram {
        deeds = List.copyOf(deeds);
        results = List.copyOf(results);
    }

    FlowProgram(int number, List<Deed> deeds) {
        this(number, deeds, 0, List.of());
    }

    /** The same program from a deed on. */
    FlowProgram from(int next, List<String> done) {
        return new FlowProgram(number, deeds, next, done);
    }

    /** Returns whether two of its steps can be one task. */
    boolean hasKeys() {
        return deeds.stream()
                .anyMatch(deed ->
                        deed == Deed.SHARED || deed == Deed.GIVE_UP_SHARED || deed == Deed.LEND || deed == Deed.BORROW);
    }

    static FlowProgram drawn(int number, RandomSource randomness) {
        List<Deed> deeds = new ArrayList<>();
        for (int left = randomness.between(3, 7); left > 0; left--) {
            deeds.add(randomness.oneOf(ALONE));
        }
        return new FlowProgram(number, deeds);
    }

    /** How many signals it waits for. */
    int signals() {
        return (int) deeds.stream()
                .filter(deed -> deed == Deed.SIGNAL || deed == Deed.LEND)
                .count();
    }
}
