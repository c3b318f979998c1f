package dev.semel.guard;

import dev.semel.task.InputHash;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A view of a store's entry for a key, without the owner's token.
 *
 * @param key the key
 * @param state the state
 * @param payload the hash of the payload; null if no call gave one
 * @param beganAt when the latest run began
 * @param changedAt when the state was recorded: the beginning or the end of the run
 * @param leaseUntil until when the owner holds the key; null if the key is not held
 * @param expiresAt when the entry expires
 * @param result the stored result of a success; null if there is none
 * @param error the last error of a failure
 */
public record GuardEntry(
        GuardKey key,
        GuardState state,
        @Nullable InputHash payload,
        Instant beganAt,
        Instant changedAt,
        @Nullable Instant leaseUntil,
        Instant expiresAt,
        @Nullable String result,
        @Nullable String error) {

    /** Returns a text without the result and the error, which may be secret. */
    @Override
    public String toString() {
        return "GuardEntry[" + key + ", " + state + ", expires at " + expiresAt + "]";
    }
}
