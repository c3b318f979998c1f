package dev.semel.engine;

import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Gives a {@link WorkerLoop} its threads, its time and its lots. All steps that are handed to {@link #execute},
 * {@link #later} and as the callbacks of {@link #call} run one after the other, never two at once.
 */
public interface WorkerHost {

    /**
     * This machine's clock; only for what is shown to people and handlers.
     *
     * @return the clock
     */
    InstantSource clock();

    /**
     * A clock that never jumps, for measuring.
     *
     * @return nanoseconds since some moment
     */
    long nanoTime();

    /**
     * Draws lots: jitter and claim numbers.
     *
     * @return the generator; used by steps and by handlers' threads
     */
    RandomGenerator random();

    /**
     * Runs a step as soon as those before it have ended.
     *
     * @param step the step
     */
    void execute(Runnable step);

    /**
     * Runs a step after a time.
     *
     * @param delay how long
     * @param step the step
     * @return ends the wait, so that the step does not run; of no effect once it does
     */
    Timer later(Duration delay, Runnable step);

    /**
     * Makes a call that may block, beside the steps, and hands its answer to a step.
     *
     * @param call the call
     * @param answered the step that gets the answer
     * @param failed the step that gets the exception instead
     * @param <T> the class of the answer
     */
    <T> void call(Supplier<T> call, Consumer<T> answered, Consumer<RuntimeException> failed);

    /**
     * Runs a handler beside the steps.
     *
     * @param handler what to run; it hands its own outcome to a step
     * @return interrupts it
     */
    Started start(Runnable handler);

    /**
     * Waits on a handler's thread, for something that a step completes.
     *
     * @param future what to wait for
     * @param <T> the class of the value
     * @return the value
     * @throws InterruptedException if the handler was interrupted
     * @throws RuntimeException what the future was completed with instead of a value
     */
    <T> T await(CompletableFuture<T> future) throws InterruptedException;

    /** A step that is handed to {@link #execute} once. Made beforehand, so that handing it in needs no memory. */
    abstract class Step implements Runnable {

        // The step behind this one in the host's queue.
        @Nullable
        Step next;

        /** For subclasses. */
        protected Step() {}
    }

    /** A step that waits for its time. */
    interface Timer {
        /** Ends the wait. */
        void cancel();
    }

    /** A handler that was started. */
    interface Started {
        /** Interrupts the handler's thread. */
        void interrupt();
    }
}
