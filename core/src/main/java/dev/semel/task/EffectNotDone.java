package dev.semel.task;

/**
 * Thrown by an effect that knows that it did not happen: the provider declined it, or was never reached. The outcome of
 * the effect is then known, so a later attempt runs it again. Any other exception leaves the outcome unknown.
 */
public final class EffectNotDone extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message why the effect did not happen; stored with the effect
     */
    public EffectNotDone(String message) {
        super(message);
    }

    /**
     * Creates the exception with its cause.
     *
     * @param message why the effect did not happen; stored with the effect
     * @param cause the cause
     */
    public EffectNotDone(String message, Throwable cause) {
        super(message, cause);
    }
}
