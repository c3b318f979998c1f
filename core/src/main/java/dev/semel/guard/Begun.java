package dev.semel.guard;

import dev.semel.task.InputHash;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The answer of a store to the beginning of a call. */
public sealed interface Begun {

    /**
     * The caller holds the key and may run the effect.
     *
     * @param takenOver whether the lease of an earlier holder expired: whether the effect of that holder happened is
     *     not known
     */
    record Entered(boolean takenOver) implements Begun {}

    /**
     * Another caller holds the key.
     *
     * @param remaining the remaining time of its lease unless it is renewed
     */
    record Busy(Duration remaining) implements Begun {}

    /**
     * The effect has happened, and its outcome is recorded.
     *
     * @param result the stored result; null if there is none
     * @param payload the hash of the payload; null if the call that recorded the outcome gave none
     * @param finishedAt when it was recorded
     * @param remaining the remaining time for which the entry is kept
     */
    record Done(@Nullable String result, @Nullable InputHash payload, Instant finishedAt, Duration remaining)
            implements Begun {}

    /**
     * The key was used with a different payload. Nothing changed.
     *
     * @param existing the hash of the earlier payload
     */
    record Conflicted(InputHash existing) implements Begun {}
}
