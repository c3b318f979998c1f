package dev.semel.task;

/**
 * Thrown in an attempt that has lost its lease: another attempt has taken over, or the task has ended. This attempt can
 * no longer change the task, and its result is discarded. Do not catch it; there is nothing to fix.
 */
public final class LeaseLost extends SemelException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message which attempt of which task
     */
    public LeaseLost(String message) {
        super(message);
    }
}
