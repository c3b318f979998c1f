package dev.semel.store;

import dev.semel.task.Lease;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/** The capability of a store to complete a task in one transaction with writes of its handler. */
public interface Transacting {

    /**
     * Runs the handler's writes and completes the task, both or neither: commits only if the work returned and the lease is
     * still that of a running attempt. A completion that was done before is not repeated: the answer is stale, and the
     * writes are rolled back.
     *
     * @param lease the lease
     * @param work the writes, on a connection to the store's database whose transaction this method begins and ends
     * @return {@link Settled#APPLIED}, or {@link Settled#STALE} or {@link Settled#NOT_FOUND} and nothing is written
     * @throws dev.semel.task.StoreUnavailable if it is not known whether the commit was done; the
     *     attempt's next settlement is stale if it was
     * @throws Exception what the work threw; nothing is written
     */
    Settled complete(Lease lease, Work work) throws Exception;

    /** What a handler writes. */
    @FunctionalInterface
    interface Work {

        /**
         * Writes.
         *
         * @param connection open, with auto-commit off; it must not be committed, rolled back or closed
         * @return the task's result in JSON, or null for none
         * @throws Exception to roll back
         */
        @Nullable
        String run(Connection connection) throws Exception;
    }
}
