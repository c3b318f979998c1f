package dev.semel.s3.objects;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a request got no answer that says what happened: an answer of 500 or 503, a time-out, a cut connection. The
 * request may or may not have been applied, and it may even be applied later.
 */
public final class RequestFailed extends Exception {

    private static final long serialVersionUID = 1L;

    /** Whether the thread was interrupted while it waited. */
    private final boolean interrupted;

    /**
     * Creates the exception.
     *
     * @param message which request, and what went wrong; without secrets
     * @param cause the exception of the client below; null for none
     */
    public RequestFailed(String message, @Nullable Throwable cause) {
        super(message, cause);
        this.interrupted = cause instanceof InterruptedException;
    }

    /** {@return whether the waiting thread was interrupted, so that the request must not be sent again} */
    public boolean isInterrupted() {
        return interrupted;
    }
}
