package dev.semel.benchmarks;

/** One thing that is measured. */
interface Measure {

    String id();

    String title();

    /** Takes all samples. */
    Result take() throws Exception;
}
