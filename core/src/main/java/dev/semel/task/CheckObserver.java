package dev.semel.task;

import java.time.Duration;

/**
 * Observer of idempotency checks, made by submissions and by guards. It is called on the caller's thread, so it must be
 * quick. An exception that it throws is logged and otherwise ignored.
 */
@FunctionalInterface
public interface CheckObserver {

    /** An observer that does nothing. */
    CheckObserver NONE = (result, took) -> {};

    /**
     * Reports one finished check.
     *
     * @param result the result of the check
     * @param took how long the store took to answer, without the run time of the effect or the task
     */
    void checked(CheckResult result, Duration took);
}
