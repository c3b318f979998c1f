package dev.semel.store;

import java.util.List;

/** The half of a store that takes submissions: all that a store bound to a caller's own transaction offers. */
public interface Submitting {

    /** The most submissions in one call. */
    int MAX_BATCH = 10_000;

    /**
     * Decides and creates, one outcome per item, in order. A batch means exactly what its items would mean one after the
     * other: a later item of the same identity meets the task of an earlier one.
     *
     * @param batch at most {@link #MAX_BATCH} submissions
     * @return as many outcomes as there are submissions
     * @throws dev.semel.task.StoreUnavailable if the store did not answer; send the same batch again
     */
    List<Submitted> submit(List<NewTask> batch);
}
