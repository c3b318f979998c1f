package dev.semel.task;

/**
 * Thrown when the store did not answer, or not in time. The operation may or may not have been done. Every operation of
 * a store can be repeated unchanged, and the repetition returns the actual outcome.
 */
public final class StoreUnavailable extends SemelException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message which store, and what went wrong
     * @param cause the exception of the store's driver
     */
    public StoreUnavailable(String message, Throwable cause) {
        super(message, cause);
    }

    /**
     * Creates the exception without a cause.
     *
     * @param message which store, and what went wrong
     */
    public StoreUnavailable(String message) {
        super(message);
    }
}
