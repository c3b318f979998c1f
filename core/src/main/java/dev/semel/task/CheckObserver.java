package dev.semel.task;

import java.time.Duration;

/**
 * Told of every look at an idempotency key, by submissions and by guards. It is called on the caller's thread, so it must
 * be quick; what it throws is logged and otherwise ignored.
 */
@FunctionalInterface
public interface CheckObserver {

    /** Tells nobody. */
    CheckObserver NONE = (result, took) -> {};

    /**
     * One look is over.
     *
     * @param result what it came to
     * @param took how long the store needed for the answer; not the effect, and not the task
     */
    void checked(CheckResult result, Duration took);
}
