package dev.semel.guard;

import dev.semel.task.SemelException;
import java.time.Duration;

/** Somebody else runs the effect at this moment. Nothing was done; try again later. */
public final class InProgress extends SemelException {

    private static final long serialVersionUID = 1L;

    private final transient Duration retryAfter;

    /**
     * Makes the exception.
     *
     * @param message which key
     * @param retryAfter how long the other's lease still lasts unless it is renewed
     */
    public InProgress(String message, Duration retryAfter) {
        super(message);
        this.retryAfter = retryAfter;
    }

    /**
     * When it is worth trying again at the latest: the other has ended by then, has renewed its lease, or is dead.
     *
     * @return how long from now
     */
    public Duration retryAfter() {
        return retryAfter;
    }
}
