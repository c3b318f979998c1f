package dev.semel.observe;

/**
 * What observes one instance.
 *
 * @param observer gets the events; it does not throw
 * @param tracing makes the spans; it does not throw
 */
public record Observation(Observer observer, Tracing tracing) {

    /** Nothing is observed. */
    public static final Observation NONE = new Observation(Observer.NONE, Tracing.NONE);

    /**
     * Makes an observer and traces safe to call.
     *
     * @param observer the observer, which may throw
     * @param tracing the traces, which may throw
     * @return both, without exceptions
     */
    public static Observation of(Observer observer, Tracing tracing) {
        return new Observation(SafeObserver.of(observer), SafeTracing.of(tracing));
    }
}
