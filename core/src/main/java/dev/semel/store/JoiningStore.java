package dev.semel.store;

import java.sql.Connection;

/** A store that can take submissions inside a JDBC transaction of the caller's own. */
public interface JoiningStore {

    /**
     * Binds submissions to the caller's transaction: they are there if and only if the caller commits.
     *
     * <p>Nothing here commits, rolls back or closes the connection. What a submission answers is provisional until the
     * commit.
     *
     * @param connection a connection to the same database, with auto-commit off
     * @return where to submit; good until the transaction ends
     */
    Submitting joining(Connection connection);
}
