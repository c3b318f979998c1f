package dev.semel.guard;

import dev.semel.task.SemelException;

/**
 * Thrown when the effect has happened and is recorded, but its result was too large or could not be encoded as JSON, so
 * it cannot be returned. The effect does not run again.
 */
public final class ResultNotStored extends SemelException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message which key, and what to do
     */
    public ResultNotStored(String message) {
        super(message);
    }
}
