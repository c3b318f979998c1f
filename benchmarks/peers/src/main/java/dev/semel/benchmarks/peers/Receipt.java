package dev.semel.benchmarks.peers;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a caller has in hands after a submission. */
interface Receipt {

    /** What the library said about the submission. */
    enum Told {
        /** That a new task was made. */
        NEW,
        /** That there was one already. */
        DUPLICATE,
        /** Nothing: a new one and a duplicate look the same. */
        NOTHING
    }

    Told told();

    /** Whether the library gives a caller the result of the task. */
    boolean givesResults();

    /** Waits for the result; null where there is none. */
    @Nullable
    String result(Duration limit);

    /** A receipt of a library that keeps no results. */
    static Receipt without(Told told) {
        return new Receipt() {
            @Override
            public Told told() {
                return told;
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
