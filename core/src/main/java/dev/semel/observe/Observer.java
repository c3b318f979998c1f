package dev.semel.observe;

import dev.semel.store.Attempt;
import dev.semel.store.QueueDepth;
import dev.semel.task.CheckObserver;
import dev.semel.task.CheckResult;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Observer of everything that one instance does: submissions, attempts, effects, store calls. Every method does nothing
 * by default. They are called on the threads that do the work, several at once, so they must be quick and thread-safe.
 * An exception that one throws is logged and otherwise ignored.
 */
public interface Observer extends CheckObserver {

    /** An observer that does nothing. */
    Observer NONE = new Observer() {};

    @Override
    default void checked(CheckResult result, Duration took) {}

    /**
     * Reports the answer to one submission.
     *
     * @param queue the queue that was asked for
     * @param type the name of the task type
     * @param result the answer
     */
    default void submitted(String queue, String type, SubmitResult result) {}

    /**
     * Reports a task that a worker of this instance has claimed.
     *
     * @param queue the queue
     * @param type the name of the task type
     */
    default void claimed(String queue, String type) {}

    /**
     * Reports the start of a handler.
     *
     * @param queue the queue
     * @param type the name of the task type
     * @param waited the time since the task was due; null if the store did not report it
     */
    default void started(String queue, String type, @Nullable Duration waited) {}

    /**
     * Reports that a worker no longer waits for a handler: it has ended, or it ignores its interrupt.
     *
     * @param queue the queue
     * @param type the name of the task type
     * @param took the time since its start
     */
    default void ran(String queue, String type, Duration took) {}

    /**
     * Reports the end of an attempt, once the store has recorded it.
     *
     * @param queue the queue
     * @param type the name of the task type
     * @param outcome the outcome that the worker reported; if the cancellation of the task was requested a moment
     *     before, the task is cancelled although the outcome here is a failure, a retry or a put-back
     */
    default void settled(String queue, String type, Attempt.Outcome outcome) {}

    /**
     * Reports an attempt that lost its lease: another attempt has begun, or the task is gone.
     *
     * @param queue the queue
     * @param type the name of the task type
     */
    default void leaseLost(String queue, String type) {}

    /**
     * Reports one effect of a handler.
     *
     * @param queue the queue of the task
     * @param type the name of the task type
     * @param result how the effect ended
     */
    default void effect(String queue, String type, EffectResult result) {}

    /**
     * Reports a call of the store.
     *
     * @param call which call
     * @param result whether the store answered
     * @param items the number of submissions, claimed tasks, settlements or operations; 0 for other calls and if the store
     *     did not answer a claim
     * @param took how long the call took
     */
    default void storeCalled(StoreCall call, CallResult result, int items, Duration took) {}

    /**
     * Reports writes of an attempt that the store refused, because the attempt no longer holds its lease.
     *
     * @param write what was refused
     */
    default void refused(RefusedWrite write) {}

    /**
     * Reports what one step of the cleaning has removed.
     *
     * @param tasks the number of tasks
     * @param records the number of idempotency records
     */
    default void cleaned(int tasks, int records) {}

    /**
     * Reports a worker that starts or closes.
     *
     * @param slots how many handlers it runs at once; negative if it closes
     */
    default void slots(int slots) {}

    /**
     * Reports the depths of all queues, or that another process reports them.
     *
     * @param depths the depths by queue; empty if another process has read them
     * @param now the time of the reading, by this machine's clock
     */
    default void depths(Map<String, QueueDepth> depths, Instant now) {}
}
