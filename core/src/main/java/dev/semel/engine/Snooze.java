package dev.semel.engine;

import dev.semel.task.Durations;
import dev.semel.task.Limits;
import java.time.Duration;

/**
 * The exception that a handler throws to run again later, without a counted failure. Created by
 * {@link TaskContext#snooze}.
 */
public final class Snooze extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Duration delay;

    Snooze(Duration delay) {
        super("snoozed for " + Durations.shown(Limits.duration("snooze", delay)), null, false, false);
        this.delay = delay;
    }

    Duration delay() {
        return delay;
    }
}
