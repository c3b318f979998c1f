package dev.semel.task;

/**
 * Thrown when the store cannot be used as it is set up: a missing directory, a read-only file, a file that is not a
 * database, a schema of a later version. Also thrown when the store can no longer be relied on, because its file was
 * deleted, replaced or damaged while it was open, or because it was closed. A retry does not help: fix what the message
 * names, and open the store again.
 */
public final class StoreUnusable extends SemelException {

    private static final long serialVersionUID = 1L;

    /** Whether the store was closed by this program. */
    private final boolean closed;

    /**
     * Creates the exception.
     *
     * @param message which store, what is wrong with it, and what to do
     */
    public StoreUnusable(String message) {
        super(message);
        this.closed = false;
    }

    /**
     * Creates the exception with its cause.
     *
     * @param message which store, what is wrong with it, and what to do
     * @param cause the exception of the store's driver
     */
    public StoreUnusable(String message, Throwable cause) {
        super(message, cause);
        this.closed = cause instanceof StoreUnusable because && because.closed;
    }

    private StoreUnusable(String message, boolean closed) {
        super(message);
        this.closed = closed;
    }

    /**
     * Creates the exception of a store that was used after it was closed.
     *
     * @param which the store, as the subject of a sentence
     * @return the exception
     */
    public static StoreUnusable closed(String which) {
        return new StoreUnusable(which + " is closed. Open it again, or close it later.", true);
    }

    /** {@return whether the store was closed by this program, so that no operation on it can succeed any more} */
    public boolean isClosed() {
        return closed;
    }
}
