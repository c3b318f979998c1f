package dev.semel.guard;

import dev.semel.task.InputHash;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a store keeps under a key, as it is shown: without the owner's token.
 *
 * @param key the key
 * @param state where it stands
 * @param payload the hash of what was asked for; null if it was never given
 * @param beganAt when the newest run began
 * @param changedAt when the state was recorded: the beginning, the end
 * @param leaseUntil until when the owner holds the key; null if nobody does
 * @param expiresAt when the entry is forgotten
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

    /** Shows neither result nor error, which may be secret. */
    @Override
    public String toString() {
        return "GuardEntry[" + key + ", " + state + ", expires at " + expiresAt + "]";
    }
}
