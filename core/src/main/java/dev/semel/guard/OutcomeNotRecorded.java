package dev.semel.guard;

import dev.semel.task.SemelException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when the effect ran and returned, but its outcome could not be recorded: the store failed, or another call has
 * taken over the key. This exception contains the result. A later call under the same key may run the effect again.
 */
public final class OutcomeNotRecorded extends SemelException {

    private static final long serialVersionUID = 1L;

    private final transient @Nullable Object result;

    /**
     * Creates the exception.
     *
     * @param message which key, and why
     * @param result the result of the effect
     * @param cause the exception of the store; null if the hold was lost
     */
    public OutcomeNotRecorded(String message, @Nullable Object result, @Nullable Throwable cause) {
        super(message);
        if (cause != null) {
            initCause(cause);
        }
        this.result = result;
    }

    /**
     * Returns the result of the effect.
     *
     * @return the result; null is a valid result
     */
    public @Nullable Object result() {
        return result;
    }
}
