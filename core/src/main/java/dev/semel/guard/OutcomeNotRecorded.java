package dev.semel.guard;

import dev.semel.task.SemelException;
import org.jspecify.annotations.Nullable;

/**
 * The effect ran and returned, but that could not be recorded: the store failed, or the key belongs to somebody else by
 * now. The result is in here. A later call under the same key may run the effect again.
 */
public final class OutcomeNotRecorded extends SemelException {

    private static final long serialVersionUID = 1L;

    private final transient @Nullable Object result;

    /**
     * Makes the exception.
     *
     * @param message which key, and why
     * @param result what the effect returned
     * @param cause what the store said; null if it refused
     */
    public OutcomeNotRecorded(String message, @Nullable Object result, @Nullable Throwable cause) {
        super(message);
        if (cause != null) {
            initCause(cause);
        }
        this.result = result;
    }

    /**
     * What the effect returned.
     *
     * @return the result; null is a result as well
     */
    public @Nullable Object result() {
        return result;
    }
}
