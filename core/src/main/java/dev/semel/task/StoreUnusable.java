package dev.semel.task;

/**
 * The store cannot be used as it is set up: a missing directory, a read-only file, a file that is no database, a schema
 * of a later version. Or it cannot be relied on any more, because its file was deleted, replaced or damaged while it was open.
 * Trying again does not help: fix what the message names, and open the store again.
 */
public final class StoreUnusable extends SemelException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message which store, what is wrong with it, and what to do
     */
    public StoreUnusable(String message) {
        super(message);
    }

    /**
     * Makes the exception with its cause.
     *
     * @param message which store, what is wrong with it, and what to do
     * @param cause what the store's driver said
     */
    public StoreUnusable(String message, Throwable cause) {
        super(message, cause);
    }
}
