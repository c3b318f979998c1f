package dev.semel.s3.objects;

import java.time.Instant;
import java.util.List;

/**
 * One page of a list.
 *
 * @param objects the objects, in ASCII order of their names
 * @param more whether objects with later names may follow
 * @param date the time of the answer, by the service's clock
 */
public record Listing(List<ListedObject> objects, boolean more, Instant date) {

    /** Copies the objects. */
    public Listing {
        objects = List.copyOf(objects);
    }
}
