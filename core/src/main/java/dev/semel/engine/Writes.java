package dev.semel.engine;

import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * The user's writes that commit together with the completion of a task.
 *
 * @param <O> the class of the task's result
 * @param <X> what they throw
 */
@FunctionalInterface
public interface Writes<O extends @Nullable Object, X extends Exception> {

    /**
     * Writes.
     *
     * @param connection to the database of the store, in a transaction; it must not be committed, rolled back or closed
     * @return the task's result; null stores none
     * @throws X to roll everything back and fail the attempt
     */
    O run(Connection connection) throws X;
}
