package dev.semel.store;

import java.sql.Connection;
import java.util.List;

/** The capability of a store to take submissions inside a JDBC transaction of the caller's own. */
@FunctionalInterface
public interface Joining {

    /**
     * Binds submissions to the caller's transaction: the tasks exist if and only if the caller commits. Nothing here commits,
     * rolls back or closes the connection.
     *
     * @param connection a connection to the same database, with auto-commit off
     * @return takes submissions until the transaction ends
     * @throws dev.semel.task.InvalidInput if the connection has no such transaction
     */
    Joined join(Connection connection);

    /** A transaction of the caller's that takes submissions. */
    @FunctionalInterface
    interface Joined {

        /**
         * Submits inside the transaction. The answers are provisional until the commit.
         *
         * @param batch at most {@link Submitting#MAX_BATCH} submissions
         * @return as many answers as there are submissions
         */
        List<Submitted> submit(List<NewTask> batch);

        /**
         * Notifies listeners of the tasks that were submitted here. The caller calls it after the commit; it is a hint
         * like every other, so nothing depends on the call. A store that notices the commit by itself ignores it.
         */
        default void committed() {}
    }
}
