package dev.semel.guard;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A result that was looked up.
 *
 * @param result the result
 * @param finishedAt when it was recorded
 * @param expiresAt when it is forgotten
 * @param <T> its class
 */
public record StoredResult<T extends @Nullable Object>(T result, Instant finishedAt, Instant expiresAt) {}
