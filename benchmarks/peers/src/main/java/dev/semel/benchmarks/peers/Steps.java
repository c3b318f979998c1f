package dev.semel.benchmarks.peers;

import java.util.Locale;

/** The kind of the steps of a measured workflow. */
enum Steps {
    /** Run in the process of the workflow, one after the other. */
    LOCAL,
    /** Submitted to a queue, and waited for, one after the other. */
    QUEUED;

    /** The number of steps of each workflow. */
    static final int COUNT = 4;

    /** Returns the word for titles and names. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
