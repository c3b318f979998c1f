package dev.semel.engine;

import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The environment of a {@link WorkerLoop}: threads, time and randomness. Steps are the functions passed to
 * {@link #execute} and {@link #later} and the callbacks of {@link #call}; they run one after the other, never two at
 * once.
 */
public interface WorkerHost {

    /**
     * Returns this machine's clock, which is used only for times that are shown to people and handlers.
     *
     * @return the clock
     */
    InstantSource clock();

    /**
     * Returns the time of a monotonic clock, for measuring.
     *
     * @return nanoseconds since an arbitrary origin
     */
    long nanoTime();

    /**
     * Returns the source of randomness for jitter and claim numbers.
     *
     * @return the generator, which steps and handlers' threads use
     */
    RandomGenerator random();

    /**
     * Runs a step as soon as the steps before it have ended.
     *
     * @param step the step
     */
    void execute(Runnable step);

    /**
     * Runs a step after a delay.
     *
     * @param delay the delay
     * @param step the step
     * @return the timer, which can be cancelled until the step runs
     */
    Timer later(Duration delay, Runnable step);

    /**
     * Makes a call that may block, concurrently with the steps, and passes its answer to a step.
     *
     * @param call the call
     * @param answered the step that gets the answer
     * @param failed the step that gets the exception if the call fails
     * @param <T> the class of the answer
     */
    <T> void call(Supplier<T> call, Consumer<T> answered, Consumer<RuntimeException> failed);

    /**
     * Runs a handler concurrently with the steps.
     *
     * @param handler the handler; it passes its outcome to a step itself
     * @return the running handler, which can be interrupted
     */
    Started start(Runnable handler);

    /**
     * Waits on a handler's thread for a future that a step completes.
     *
     * @param future the future
     * @param <T> the class of the value
     * @return the value
     * @throws InterruptedException if the handler was interrupted
     * @throws RuntimeException if the future was completed with this exception
     */
    <T> T await(CompletableFuture<T> future) throws InterruptedException;

    /**
     * Returns whether the heartbeat goes on while the worker holds no task, as a sign of life for its guardian.
     *
     * @return true, unless nobody watches it: on virtual time these heartbeats are most of what happens in days of sleep
     */
    default boolean beatsWhileIdle() {
        return true;
    }

    /** A step that is passed to {@link #execute} once. It is created in advance, so that passing it needs no memory. */
    abstract class Step implements Runnable {

        // The next step in the host's queue.
        @Nullable
        Step next;

        /** Creates a step. */
        protected Step() {}
    }

    /** A delayed step. */
    interface Timer {
        /** Cancels the step; has no effect once the step runs. */
        void cancel();
    }

    /** A running handler. */
    interface Started {
        /** Interrupts the handler's thread. */
        void interrupt();
    }
}
