package dev.semel.benchmarks;

/** Receives the progress of the benchmarks. */
public interface BenchProgress {

    /** Ignores the progress. */
    BenchProgress SILENT = (done, total, what) -> {};

    /**
     * Reports that a step starts.
     *
     * @param done number of finished steps
     * @param total number of all steps
     * @param what name of the step that starts
     */
    void at(int done, int total, String what);
}
