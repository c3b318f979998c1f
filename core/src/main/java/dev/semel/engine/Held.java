package dev.semel.engine;

import dev.semel.store.Claims.Claimed;
import org.jspecify.annotations.Nullable;

/** A task in this worker's hands. */
final class Held {

    final Claimed claimed;
    final long claimedAt;
    long extendedAt;
    long begunAt;

    @Nullable
    TaskContext context;

    WorkerHost.@Nullable Started started;
    WorkerHost.@Nullable Timer timeout;

    boolean gone;
    SuspectRamp.End end = SuspectRamp.End.NOT_BEGUN;

    // Of its input, and of its result once there is one.
    long bytes;

    Held(Claimed claimed, long now) {
        this.claimed = claimed;
        this.claimedAt = now;
        this.extendedAt = now;
        this.bytes = size(claimed.task().input());
    }

    /** About what a text takes in memory: it has no more characters than bytes in UTF-8. */
    static long size(@Nullable String text) {
        return text == null ? 0 : text.length();
    }

    boolean isSuspect() {
        return claimed.task().progress().vanished() > 0;
    }

    /** Whether it has vanished as a suspect too: then it runs without other suspects beside it. */
    boolean vanishedAgain() {
        return claimed.task().progress().vanished() > 1;
    }
}
