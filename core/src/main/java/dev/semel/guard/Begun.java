package dev.semel.guard;

import dev.semel.task.InputHash;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What a store answers to the beginning of a call. */
public sealed interface Begun {

    /**
     * The caller holds the key and may run the effect.
     *
     * @param takenOver whether somebody else held it before and let the lease run out: whether that one's effect
     *     happened is not known
     */
    record Entered(boolean takenOver) implements Begun {}

    /**
     * Somebody else holds the key.
     *
     * @param remaining how long its lease still lasts unless it is renewed
     */
    record Busy(Duration remaining) implements Begun {}

    /**
     * The effect has happened, and its outcome is recorded.
     *
     * @param result the stored result; null if there is none
     * @param payload the hash of what was asked for; null if the call that recorded it gave none
     * @param finishedAt when it was recorded
     * @param remaining how long the entry is still kept
     */
    record Done(@Nullable String result, @Nullable InputHash payload, Instant finishedAt, Duration remaining)
            implements Begun {}

    /**
     * The key was used for something else. Nothing changed.
     *
     * @param existing the hash of what it was used for
     */
    record Conflicted(InputHash existing) implements Begun {}
}
