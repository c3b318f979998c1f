package dev.semel.storetests.storm;

/**
 * When a call was under way.
 *
 * @param asked the nanosecond before it was sent
 * @param answered the nanosecond after its answer, or after which a lost call can no longer take effect
 * @param clockAsked what the store's clock showed before it was sent, in milliseconds
 * @param clockAnswered what it showed after the answer; the store's now of the call lies between the two
 */
record Span(long asked, long answered, long clockAsked, long clockAnswered) {

    /** The span from the first of several sends of one call to the end of the last. */
    Span since(Span first) {
        return new Span(Math.min(asked, first.asked), answered, Math.min(clockAsked, first.clockAsked), clockAnswered);
    }

    /** A span that ends later, because a call whose answer was lost may still take effect. */
    Span longer(long nanos, long millis) {
        return new Span(asked, answered + nanos, clockAsked, clockAnswered + millis);
    }
}
