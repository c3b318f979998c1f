package dev.semel.task;

/** A value that Semel does not take. Nothing was stored; mend the call and send it again. */
public final class InvalidInput extends SemelException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is allowed, the value in quotes, and what to do
     */
    public InvalidInput(String message) {
        super(message);
    }

    /**
     * Makes the exception with its cause.
     *
     * @param message what is allowed, the value in quotes, and what to do
     * @param cause what led to it
     */
    public InvalidInput(String message, Throwable cause) {
        super(message, cause);
    }
}
