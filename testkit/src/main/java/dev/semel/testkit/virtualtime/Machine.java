package dev.semel.testkit.virtualtime;

import java.time.Duration;
import java.util.function.Consumer;

/** What a {@link SimulatedHost} runs on: a party with a clock, a way to the store, and threads whose pace it decides. */
public interface Machine extends Timeline.Party {

    /**
     * The clock of this machine.
     *
     * @return the same every time
     */
    MachineClock clock();

    /**
     * Sends a call to the store; the answer, or what comes instead of it, is a step of this machine.
     *
     * @param <T> the class of the answer
     * @param call the call
     * @param answered gets the answer
     * @param failed gets the error
     */
    <T> void send(Call<T> call, Consumer<T> answered, Consumer<RuntimeException> failed);

    /**
     * What the threads of handlers are made by.
     *
     * @return a builder
     */
    default Thread.Builder threads() {
        return Thread.ofVirtual();
    }

    /**
     * A handler was started; its thread is to be ended with the world.
     *
     * @param handler the thread
     */
    void started(HandlerThread handler);

    /**
     * How long it takes until a handler that was started begins.
     *
     * @return virtual time
     */
    Duration untilBegun();

    /**
     * Whether a handler that does something else than wait for the store takes no notice of its interrupt.
     *
     * @return whether it goes on
     */
    boolean ignoresInterrupt();

    /**
     * How long such a handler takes to notice.
     *
     * @return virtual time
     */
    Duration untilNoticed();

    /**
     * A handler, on its own thread, is about to hand a step to its worker or to wait for one.
     *
     * @return whether the handler comes no further for now, because its process has just crashed or is frozen
     */
    default boolean stopsHandler() {
        return false;
    }
}
