package dev.semel.spring.guard;

import java.sql.Connection;
import java.util.Optional;

/** A source of the transactions that guarded calls join. */
@FunctionalInterface
public interface GuardTransactions {

    /** A source without transactions: guarded calls stand on their own. */
    GuardTransactions NONE = what -> Optional.empty();

    /**
     * Returns the connection of the calling thread's transaction.
     *
     * @param what what wants to join it, for the message
     * @return the connection; empty if no transaction is open
     * @throws dev.semel.task.InvalidInput if a transaction is open that the guard cannot join
     */
    Optional<Connection> connection(String what);
}
