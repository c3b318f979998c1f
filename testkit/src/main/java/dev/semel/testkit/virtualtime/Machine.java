package dev.semel.testkit.virtualtime;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * The machine of a {@link SimulatedHost}: a party with a clock, a connection to the store, and threads whose pace it
 * decides.
 */
public interface Machine extends Timeline.Party {

    /**
     * Returns the clock of this machine.
     *
     * @return the same every time
     */
    MachineClock clock();

    /**
     * Sends a call to the store. The answer or the error is a step of this machine.
     *
     * @param <T> the class of the answer
     * @param call the call
     * @param answered gets the answer
     * @param failed gets the error
     */
    <T> void send(Call<T> call, Consumer<T> answered, Consumer<RuntimeException> failed);

    /**
     * Returns the builder of handlers' threads.
     *
     * @return a builder
     */
    default Thread.Builder threads() {
        return Thread.ofVirtual();
    }

    /**
     * Records that a handler was started. Its thread must be ended with the world.
     *
     * @param handler the thread
     */
    void started(HandlerThread handler);

    /**
     * Returns how long a started handler takes to begin.
     *
     * @return virtual time
     */
    Duration untilBegun();

    /**
     * Returns whether a handler ignores an interrupt while it does not wait for the store.
     *
     * @return whether it ignores the interrupt
     */
    boolean ignoresInterrupt();

    /**
     * Returns how long such a handler takes to notice the interrupt.
     *
     * @return virtual time
     */
    Duration untilNoticed();

    /**
     * Returns whether its worker's heartbeat goes on while the worker holds no task.
     *
     * @return false to leave out what happens only for the guardian of a real worker
     */
    default boolean beatsWhileIdle() {
        return true;
    }

    /**
     * Called on a handler's thread before it passes a step to its worker or waits for one.
     *
     * @return whether the handler stops here, because its process has just crashed or is frozen
     */
    default boolean stopsHandler() {
        return false;
    }
}
