package dev.semel.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How many tasks a queue has, counted at one moment.
 *
 * @param due pending ones that can be claimed, those whose lease has run out included
 * @param delayed pending ones that are due later
 * @param running running ones whose lease holds
 * @param waiting waiting ones
 * @param dead dead letters
 * @param oldestDue since when the longest waiting of the due ones is due; null if none is
 */
public record QueueDepth(
        long due,
        long delayed,
        long running,
        long waiting,
        long dead,
        @Nullable Instant oldestDue) {}
