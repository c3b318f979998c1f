package dev.semel.task;

/**
 * Anything that Semel refuses or cannot do. Subclasses are told apart by what the caller should do next.
 *
 * <ul>
 *   <li>mend the call: {@link InvalidInput}, {@link IdempotencyConflict}
 *   <li>look at what exists: {@link TaskAlreadyExists}, {@link TaskAlreadyCompleted}, {@link TaskAlreadyFinished}
 *   <li>nothing to be had: {@link TaskNotFound}, {@link ResultGone}, {@link TaskUnsuccessful}
 *   <li>try again: {@link StoreUnavailable}, {@link ResultNotReady}
 *   <li>mend the set-up: {@link StoreUnusable}
 * </ul>
 */
public abstract class SemelException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what was expected, what came instead, and what to do
     */
    protected SemelException(String message) {
        super(message);
    }

    /**
     * Makes the exception with its cause.
     *
     * @param message what was expected, what came instead, and what to do
     * @param cause what led to it
     */
    protected SemelException(String message, Throwable cause) {
        super(message, cause);
    }
}
