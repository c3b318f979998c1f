package dev.semel.engine;

import dev.semel.task.Limits;
import java.time.Duration;

/** Thrown by a handler that wants to be called again later; no failure is counted. Made by {@link TaskContext#snooze}. */
public final class Snooze extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Duration delay;

    Snooze(Duration delay) {
        super("snoozed for " + delay, null, false, false);
        this.delay = Limits.duration("snooze", delay);
    }

    Duration delay() {
        return delay;
    }
}
