package dev.semel.task;

/**
 * The superclass of Semel's exceptions. Subclasses are grouped by what the caller should do next.
 *
 * <ul>
 *   <li>fix the call: {@link InvalidInput}, {@link IdempotencyConflict}
 *   <li>use the existing task: {@link TaskAlreadyExists}, {@link TaskAlreadyCompleted}, {@link TaskAlreadyFinished}
 *   <li>handle the missing result: {@link TaskNotFound}, {@link ScheduleNotFound}, {@link ResultGone}, {@link TaskUnsuccessful}
 *   <li>retry: {@link StoreUnavailable}, {@link ResultNotReady}
 *   <li>fix the set-up: {@link StoreUnusable}
 * </ul>
 */
public abstract class SemelException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message what happened, what was expected, and what to do
     */
    protected SemelException(String message) {
        super(message);
    }

    /**
     * Creates the exception with its cause.
     *
     * @param message what happened, what was expected, and what to do
     * @param cause the cause
     */
    protected SemelException(String message, Throwable cause) {
        super(message, cause);
    }
}
