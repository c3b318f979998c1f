package dev.semel.task;

/** Thrown by a handler to fail its task immediately, without retries. */
public final class PermanentFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message why no retry would help
     */
    public PermanentFailure(String message) {
        super(message);
    }

    /**
     * Creates the exception with its cause.
     *
     * @param message why no retry would help
     * @param cause the cause
     */
    public PermanentFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
