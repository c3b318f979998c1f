package dev.semel.benchmarks.peers;

import org.jspecify.annotations.Nullable;

/** The handler of a task, the same for all libraries. */
interface Handler {

    /** Runs a task. Returns its result, if the library stores one, or null for none. */
    @Nullable
    String run(int number, String filler);
}
