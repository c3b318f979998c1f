package dev.semel.task;

/** Thrown by a handler that knows that no retry would help: the task fails at once. */
public final class PermanentFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message why no retry would help
     */
    public PermanentFailure(String message) {
        super(message);
    }

    /**
     * Makes the exception with its cause.
     *
     * @param message why no retry would help
     * @param cause what led to it
     */
    public PermanentFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
