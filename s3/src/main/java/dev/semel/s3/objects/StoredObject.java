package dev.semel.s3.objects;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An object as it was read. Objects are never changed, so what was read stays true for as long as the object exists.
 *
 * @param name the name, relative to the prefix of the store
 * @param content the content; it is not copied, and nobody changes it
 * @param mark the mark of the write that created it; null for an object that something else than Semel created
 * @param storedAt when the service stored it, by the service's clock, to the second on real services
 */
@SuppressWarnings(
        "ArrayRecordComponent") // compared by nobody; a copy of 4 MiB for each access would be the price of safety
public record StoredObject(
        String name, byte[] content, @Nullable Mark mark, Instant storedAt) {

    /** Returns a text without the content, which may be secret. */
    @Override
    public String toString() {
        return "StoredObject[" + name + ", " + content.length + " bytes, stored at " + storedAt + "]";
    }
}
