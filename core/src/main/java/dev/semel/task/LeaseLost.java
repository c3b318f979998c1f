package dev.semel.task;

/**
 * Another attempt has taken over, or the task has ended: this attempt can no longer change it, and whatever it does is
 * discarded. Let it pass; there is nothing to mend.
 */
public final class LeaseLost extends SemelException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message which attempt of which task
     */
    public LeaseLost(String message) {
        super(message);
    }
}
