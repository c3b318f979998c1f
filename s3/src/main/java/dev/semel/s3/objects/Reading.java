package dev.semel.s3.objects;

import java.time.Instant;

/** The answer to a read. */
public sealed interface Reading {

    /** {@return the time of the answer, by the service's clock} */
    Instant date();

    /**
     * The object exists.
     *
     * @param object the object
     * @param date the time of the answer
     */
    record Found(StoredObject object, Instant date) implements Reading {}

    /**
     * There is no such object.
     *
     * @param date the time of the answer
     */
    record Absent(Instant date) implements Reading {}
}
