package dev.semel.guard;

import java.sql.Connection;

/** The capability of a guard store to join a JDBC transaction of the caller. */
@FunctionalInterface
public interface GuardJoining {

    /**
     * Binds entries to the caller's transaction: they are stored if and only if the caller commits.
     *
     * <p>The returned store never commits, rolls back the whole transaction or closes the connection. A failure rolls
     * back what was written on the connection since the beginning of the same hold, including the effect's own writes.
     * No other caller can enter the key meanwhile: the lock of the transaction holds it, so there is no lease to renew.
     *
     * @param connection a connection to the same database, with auto-commit off
     * @return a store that is valid until the transaction ends; not thread-safe
     */
    GuardStore join(Connection connection);
}
