package dev.semel.guard;

import dev.semel.task.SemelException;
import java.time.Duration;

/** Thrown when another call is running the effect. Nothing was done. Retry later. */
public final class InProgress extends SemelException {

    private static final long serialVersionUID = 1L;

    private final transient Duration retryAfter;

    /**
     * Creates the exception.
     *
     * @param message which key
     * @param retryAfter the remaining time of the other call's lease unless it is renewed
     */
    public InProgress(String message, Duration retryAfter) {
        super(message);
        this.retryAfter = retryAfter;
    }

    /**
     * Returns the longest useful wait before a retry: after it the other call has ended, has renewed its lease, or is
     * dead.
     *
     * @return the time from now
     */
    public Duration retryAfter() {
        return retryAfter;
    }
}
