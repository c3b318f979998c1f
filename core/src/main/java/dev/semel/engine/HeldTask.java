package dev.semel.engine;

import dev.semel.store.Claims.Claimed;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A task that this worker holds. */
final class HeldTask {

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

    // The size of the input, plus the size of the result once there is one.
    long bytes;

    HeldTask(Claimed claimed, long now) {
        this.claimed = claimed;
        this.claimedAt = now;
        this.extendedAt = now;
        this.bytes = size(claimed.task().input());
    }

    String queue() {
        return claimed.task().queue();
    }

    String type() {
        return claimed.task().type();
    }

    /** Returns how long the task was due before its handler started, or null if the store did not report it. */
    @Nullable
    Duration waited() {
        Duration before = claimed.waited();
        return before == null ? null : before.plusNanos(begunAt - claimedAt);
    }

    /** Estimates the bytes of a text by its characters, of which there are never more than bytes in UTF-8. */
    static long size(@Nullable String text) {
        return text == null ? 0 : text.length();
    }

    boolean isSuspect() {
        return claimed.task().progress().vanished() > 0;
    }

    /** Returns whether the task vanished as a suspect too: then it runs while no other suspect does. */
    boolean vanishedAgain() {
        return claimed.task().progress().vanished() > 1;
    }
}
