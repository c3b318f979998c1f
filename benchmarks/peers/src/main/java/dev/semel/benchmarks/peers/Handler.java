package dev.semel.benchmarks.peers;

import org.jspecify.annotations.Nullable;

/** What a task does, whichever library runs it. */
interface Handler {

    /** Runs a task; what it returns is its result where the library keeps one, and null is none. */
    @Nullable
    String run(int number, String filler);
}
