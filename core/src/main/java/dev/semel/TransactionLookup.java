package dev.semel;

import java.util.Optional;

/**
 * A source of transactions that submissions join by themselves. A framework that binds transactions to threads
 * implements it, so that {@link Semel#submit} inside a transaction is part of it.
 */
@FunctionalInterface
public interface TransactionLookup {

    /**
     * Returns the transaction that the calling thread has open. It is called with every send. The implementation calls
     * {@link JoinedSemel#committed} after the commit.
     *
     * @param semel the instance that is about to send
     * @return what {@link Semel#joining} returned for this transaction; empty if the submission stands on its own
     * @throws dev.semel.task.InvalidInput if a transaction is open that the store cannot join
     */
    Optional<JoinedSemel> current(Semel semel);
}
