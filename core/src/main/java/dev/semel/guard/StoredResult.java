package dev.semel.guard;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A stored result, as {@link Guard#lookup} returns it.
 *
 * @param result the result
 * @param finishedAt when it was recorded
 * @param expiresAt when it expires
 * @param <T> its class
 */
public record StoredResult<T extends @Nullable Object>(T result, Instant finishedAt, Instant expiresAt) {

    /** {@return the times, without the result} */
    @Override
    public String toString() {
        return "StoredResult[finishedAt=" + finishedAt + ", expiresAt=" + expiresAt + "]";
    }
}
