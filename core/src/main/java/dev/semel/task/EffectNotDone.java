package dev.semel.task;

/**
 * Thrown by an effect that knows that nothing happened: the provider said no, or was never reached. Its outcome is then
 * known, so a later attempt runs it as if for the first time. Any other exception leaves the outcome unknown.
 */
public final class EffectNotDone extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message why nothing happened; kept with the effect
     */
    public EffectNotDone(String message) {
        super(message);
    }

    /**
     * Makes the exception with its cause.
     *
     * @param message why nothing happened; kept with the effect
     * @param cause what led to it
     */
    public EffectNotDone(String message, Throwable cause) {
        super(message, cause);
    }
}
