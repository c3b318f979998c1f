package dev.semel.guard;

import java.sql.Connection;

/** A guard store that can take part in a JDBC transaction of the caller's own. */
public interface JoiningGuardStore extends GuardStore {

    /**
     * Binds entries to the caller's transaction: they are there if and only if the caller commits.
     *
     * <p>Nothing here commits, rolls back the whole or closes the connection. A failure undoes what was done on the
     * connection since the beginning of the same hold, the effect's own writes included. Meanwhile nobody else can enter the
     * key; the lock of the transaction is what holds it, so there is no lease to renew.
     *
     * @param connection a connection to the same database, with auto-commit off
     * @return a store that is good until the transaction ends; not for several threads
     */
    GuardStore joining(Connection connection);
}
