package dev.semel.jdbc;

/** How many of the newest submissions were duplicates: the next ones are probably like them. Nothing but speed depends on it. */
final class DuplicateShare {

    // Three batches of one kind are enough to forget what was before.
    private static final double WEIGHT_OF_NEWEST = 0.75;
    private static final double FEW = 0.02;
    private static final int MANY_BATCHES = 20;

    // Two who write at the same time forget one batch, and that is no harm.
    private volatile double share;
    private volatile int batchesWithout;

    /** Notes how many duplicates a batch had. */
    void note(long duplicates, int of) {
        double before = share;
        double after = before + ((double) duplicates / of - before) * WEIGHT_OF_NEWEST;
        if (after != before) {
            share = after;
        }
        int without = batchesWithout;
        if (duplicates > 0) {
            batchesWithout = 0;
        } else if (without < MANY_BATCHES) {
            batchesWithout = without + 1;
        }
    }

    /** Whether there was none for so long that one is a surprise. */
    boolean areNone() {
        return batchesWithout >= MANY_BATCHES;
    }

    /** Whether there were hardly any. */
    boolean areFew() {
        return share < FEW;
    }

    /** Whether there was hardly anything else. */
    boolean areAlmostAll() {
        return share > 1 - FEW;
    }
}
