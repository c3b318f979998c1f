package dev.semel.store;

import dev.semel.task.Lease;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/** A store that can complete a task in one transaction with writes of the handler's own. */
public interface TransactingStore {

    /**
     * Runs the handler's writes and completes the task, both or neither: commits only if the work returned and the lease is
     * still that of a running attempt. A completion that was done before is not done again: the answer is stale then, and the
     * writes are rolled back.
     *
     * @param lease the lease
     * @param work the writes, on a connection to the store's database whose transaction this method begins and ends
     * @return {@link Applied#APPLIED}, or {@link Applied#STALE} or {@link Applied#NOT_FOUND} and nothing is written
     * @throws dev.semel.task.StoreUnavailable if it is not known whether the commit was done; the attempt's next move tells:
     *     it is stale if it was
     * @throws Exception whatever the work threw; nothing is written
     */
    Applied complete(Lease lease, Work work) throws Exception;

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
