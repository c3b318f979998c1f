package dev.semel.benchmarks.peers;

import java.util.List;

/** A library that is open on a database: it submits, and works when it is told to. */
interface Session extends AutoCloseable {

    /** Submits one task, with its key if it has one. Called by many threads. */
    Receipt submit(Piece piece);

    /** Submits many at once; only where the contestant has batches. */
    void submitBatch(List<Piece> pieces);

    /**
     * Submits one task to be started as soon as can be, in the quickest way the library has where submitter and worker are one
     * process. The usual way for most.
     */
    default Receipt submitHere(Piece piece) {
        return submit(piece);
    }

    /** Starts the workers; returns when they are about to look for tasks. */
    void work();

    /** Stops the workers and whatever else runs. */
    @Override
    void close();
}
