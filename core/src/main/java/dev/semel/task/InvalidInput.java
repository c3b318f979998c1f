package dev.semel.task;

/** Thrown for a value that Semel does not accept. Nothing was stored. Fix the call and send it again. */
public final class InvalidInput extends SemelException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message what is allowed, the value in quotes, and what to do
     */
    public InvalidInput(String message) {
        super(message);
    }

    /**
     * Creates the exception with its cause.
     *
     * @param message what is allowed, the value in quotes, and what to do
     * @param cause the cause
     */
    public InvalidInput(String message, Throwable cause) {
        super(message, cause);
    }
}
