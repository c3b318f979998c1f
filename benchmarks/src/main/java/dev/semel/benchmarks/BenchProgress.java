package dev.semel.benchmarks;

/** Told how far the measuring is, so that somebody can draw it. */
public interface BenchProgress {

    /** Says nothing to anybody. */
    BenchProgress SILENT = (done, total, what) -> {};

    /**
     * Another step begins.
     *
     * @param done how many steps have ended
     * @param total how many there are
     * @param what the one that begins
     */
    void at(int done, int total, String what);
}
