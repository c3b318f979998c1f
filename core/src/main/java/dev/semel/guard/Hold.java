package dev.semel.guard;

import dev.semel.task.InputHash;
import dev.semel.task.Limits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One call's claim on a key. The same hold goes with every operation of the call, so each of them can be sent again.
 *
 * @param key what is held
 * @param owner who holds it
 * @param payload the hash of what the call asks for, or null if it is not compared
 * @param lease how long the hold lasts unless it is renewed
 * @param ttl how long the outcome is kept, from its recording on
 */
public record Hold(GuardKey key, OwnerToken owner, @Nullable InputHash payload, Duration lease, Duration ttl) {

    /** Checks the times. */
    public Hold {
        Limits.positive("lease", lease);
        Limits.positive("ttl", ttl);
    }
}
