package dev.semel.engine;

import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * The user's function that writes to the database in the transaction that completes a task.
 *
 * @param <O> the class of the task's result
 * @param <X> the exception of the function
 */
@FunctionalInterface
public interface Writes<O extends @Nullable Object, X extends Exception> {

    /**
     * Writes to the database.
     *
     * @param connection a connection to the store's database, in a transaction; it must not be committed, rolled back
     *     or closed
     * @return the task's result; null stores none
     * @throws X if the writes failed; everything is rolled back and the attempt fails
     */
    O run(Connection connection) throws X;
}
