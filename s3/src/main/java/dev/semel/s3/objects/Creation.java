package dev.semel.s3.objects;

import java.time.Instant;

/** The known outcome of a create-if-absent. */
public sealed interface Creation {

    /**
     * The object was created by this call, or by an earlier one with the same mark.
     *
     * @param date the time of the answer by which that became known, by the service's clock
     */
    record Created(Instant date) implements Creation {}

    /**
     * Another write created the object; nothing was changed.
     *
     * @param found the object
     * @param date the time of the answer, by the service's clock
     */
    record Exists(StoredObject found, Instant date) implements Creation {}
}
