package dev.semel.sqlite.capture;

import dev.semel.sqlite.sql.Session;
import dev.semel.store.StoreNews;
import java.sql.SQLException;
import java.util.List;

/**
 * What decides whether a transaction of the writer may commit, for a file that is a copy of a truth elsewhere. All calls
 * come from the writer's thread, except {@link #open} and {@link #close}.
 */
public interface Gate extends AutoCloseable {

    /**
     * Brings the file up to date before the writer begins.
     *
     * @param catchUp a session whose writes are not captured; the gate closes it
     */
    void open(Session catchUp) throws SQLException;

    /**
     * Waits, before a transaction's operations run, until it is this process's turn: of several processes that compete, one
     * that was admitted lets the others go first. Operations that arrive meanwhile join the transaction. No transaction is open, or
     * nothing was executed in it yet.
     */
    default void awaitTurn() {}

    /**
     * Publishes the changes of a transaction that is about to commit. If there are none, checks that the file was up to date
     * when this was called.
     *
     * @param session the session of the transaction, which is open
     * @param changes in the order of entities
     * @param now the time of the transaction
     * @return whether the transaction may commit; otherwise others were first, and the operations are executed again after
     *     {@link #catchUp}
     */
    boolean admit(Session session, List<Change> changes, long now) throws SQLException;

    /**
     * Applies what others have published. No transaction is open.
     *
     * @return hints about what was applied
     */
    StoreNews catchUp() throws SQLException;

    /** Forgets the connection; the writer has ended. */
    @Override
    void close();
}
