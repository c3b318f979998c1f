package dev.semel.s3.objects;

import java.time.Instant;

/**
 * The service's answer to one conditional PUT.
 *
 * @param outcome what the service says
 * @param date the time of the answer, by the service's clock
 */
public record PutAnswer(Outcome outcome, Instant date) {

    /** What the service says. */
    public enum Outcome {
        /** The object was created (200). */
        CREATED,
        /** There is an object of that name (412). It may be that of an earlier send of the same write. */
        EXISTS,
        /** Another write of the name was under way (409). Whether an object exists now is not known. */
        CONFLICT
    }
}
