package dev.semel.benchmarks.peers;

import java.util.List;

/** A library that is open on a database: it submits, and runs workers on request. */
interface Session extends AutoCloseable {

    /** Submits one task, with its key if it has one. Called by many threads. */
    Receipt submit(Piece piece);

    /** Submits many tasks in one call; only if the contestant has batches. */
    void submitBatch(List<Piece> pieces);

    /**
     * Submits one task in the way that starts it fastest if submitter and worker are in one process. For most libraries
     * this is the usual way.
     */
    default Receipt submitHere(Piece piece) {
        return submit(piece);
    }

    /** Starts the workers; returns when they are about to poll for tasks. */
    void work();

    /**
     * Starts a workflow of {@link Steps#COUNT} steps in the way that is fastest if the workers are in the same process; only if the
     * contestant has workflows. Each step passes its number to the handler: the workflow's number times the count, and its index.
     */
    default void startWorkflow(int number, Steps steps) {
        throw new UnsupportedOperationException("This contestant has no workflows");
    }

    /** Starts the workers of workflows and of their steps, instead of {@link #work}. */
    default void workOnWorkflows() {
        throw new UnsupportedOperationException("This contestant has no workflows");
    }

    /** Stops the workers and everything else. */
    @Override
    void close();
}
