package dev.semel.benchmarks;

/** A measure. */
interface Measure {

    String id();

    String title();

    /** Takes all samples. */
    Result take() throws Exception;
}
