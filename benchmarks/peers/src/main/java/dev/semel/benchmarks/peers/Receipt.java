package dev.semel.benchmarks.peers;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The answer to a submission. */
interface Receipt {

    /** What the library reports about the submission. */
    enum Novelty {
        /** A new task was created. */
        NEW,
        /** The task existed. */
        DUPLICATE,
        /** Nothing: a new task and a duplicate look the same. */
        NOTHING
    }

    Novelty novelty();

    /** Returns whether the library provides the result of the task. */
    boolean givesResults();

    /** Waits for the result; returns null if there is none. */
    @Nullable
    String result(Duration limit);

    /** Returns a receipt of a library that stores no results. */
    static Receipt without(Novelty novelty) {
        return new Receipt() {
            @Override
            public Novelty novelty() {
                return novelty;
            }

            @Override
            public boolean givesResults() {
                return false;
            }

            @Override
            public @Nullable String result(Duration limit) {
                return null;
            }
        };
    }
}
