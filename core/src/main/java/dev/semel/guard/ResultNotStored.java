package dev.semel.guard;

import dev.semel.task.SemelException;

/**
 * The effect has happened, which is recorded, but its result was too large or could not be written as JSON, so it is not
 * there to be returned. The effect does not run again.
 */
public final class ResultNotStored extends SemelException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message which key, and what to do
     */
    public ResultNotStored(String message) {
        super(message);
    }
}
