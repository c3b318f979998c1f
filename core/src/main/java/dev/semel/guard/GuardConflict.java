package dev.semel.guard;

import dev.semel.task.InputHash;
import dev.semel.task.SemelException;

/**
 * Thrown when a key was used before with a different payload. The effect was not run and nothing changed. The key is
 * too coarse.
 */
public final class GuardConflict extends SemelException {

    private static final long serialVersionUID = 1L;

    private final transient InputHash existingHash;
    private final transient InputHash requestHash;

    /**
     * Creates the exception.
     *
     * @param message which key
     * @param existingHash the hash of the payload that the key was used with
     * @param requestHash the hash of the rejected payload
     */
    public GuardConflict(String message, InputHash existingHash, InputHash requestHash) {
        super(message);
        this.existingHash = existingHash;
        this.requestHash = requestHash;
    }

    /** {@return the hash of the payload that the key was used with} */
    public InputHash existingHash() {
        return existingHash;
    }

    /** {@return the hash of the rejected payload} */
    public InputHash requestHash() {
        return requestHash;
    }
}
