package dev.semel.task;

/**
 * The store did not answer, or not in time. What was asked may or may not have been done: every operation of a store can
 * be repeated as it was, and then says what is the case.
 */
public final class StoreUnavailable extends SemelException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message which store, and what went wrong
     * @param cause what the store's driver said
     */
    public StoreUnavailable(String message, Throwable cause) {
        super(message, cause);
    }

    /**
     * Makes the exception without a cause.
     *
     * @param message which store, and what went wrong
     */
    public StoreUnavailable(String message) {
        super(message);
    }
}
