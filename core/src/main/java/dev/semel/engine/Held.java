package dev.semel.engine;

import dev.semel.store.Claims.Claimed;
import org.jspecify.annotations.Nullable;

/** A task in this worker's hands. */
final class Held {

    final Claimed claimed;
    long extendedAt;

    @Nullable
    TaskContext context;

    WorkerHost.@Nullable Started started;
    WorkerHost.@Nullable Timer timeout;

    boolean gone;

    Held(Claimed claimed, long now) {
        this.claimed = claimed;
        this.extendedAt = now;
    }

    boolean isSuspect() {
        return claimed.task().progress().vanished() > 0;
    }
}
