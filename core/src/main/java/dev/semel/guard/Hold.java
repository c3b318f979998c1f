package dev.semel.guard;

import dev.semel.task.InputHash;
import dev.semel.task.Limits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The claim of one call on a key. Every operation of the call carries the same hold, so that each operation can be
 * repeated.
 *
 * @param key the held key
 * @param owner the holder
 * @param payload the hash of the payload, or null if payloads are not compared
 * @param lease how long the hold lasts without a renewal
 * @param ttl how long the outcome is kept after it is recorded
 */
public record Hold(GuardKey key, OwnerToken owner, @Nullable InputHash payload, Duration lease, Duration ttl) {

    /** Checks the times. */
    public Hold {
        Limits.positive("lease", lease);
        Limits.positive("ttl", ttl);
    }
}
