package dev.semel.guard;

import dev.semel.task.InputHash;
import dev.semel.task.SemelException;

/** The key was used before with another payload. Nothing was run and nothing changed; the key is too coarse. */
public final class GuardConflict extends SemelException {

    private static final long serialVersionUID = 1L;

    private final transient InputHash existingHash;
    private final transient InputHash requestHash;

    /**
     * Makes the exception.
     *
     * @param message which key
     * @param existingHash the hash of the payload that the key was used with
     * @param requestHash the hash of the refused payload
     */
    public GuardConflict(String message, InputHash existingHash, InputHash requestHash) {
        super(message);
        this.existingHash = existingHash;
        this.requestHash = requestHash;
    }

    /**
     * The hash of the payload that the key was used with.
     *
     * @return the hash
     */
    public InputHash existingHash() {
        return existingHash;
    }

    /**
     * The hash of the refused payload.
     *
     * @return the hash
     */
    public InputHash requestHash() {
        return requestHash;
    }
}
