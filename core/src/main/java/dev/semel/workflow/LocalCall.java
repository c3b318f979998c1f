package dev.semel.workflow;

import dev.semel.engine.EffectCall;
import dev.semel.engine.Probe;
import dev.semel.guard.Effect;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A local step that is about to run, with the policy for an unknown outcome. Created by {@link Flow#local(String, Class)}. {@link #run} or
 * {@link #start} runs it, and without that nothing happens.
 *
 * @param <T> the class of the result
 */
public final class LocalCall<T extends @Nullable Object> {

    private final LocalSteps steps;
    private final EffectCall<T> call;
    private final String name;
    private int index;

    LocalCall(LocalSteps steps, EffectCall<T> call, String name) {
        this.steps = steps;
        this.call = call;
        this.name = name;
    }

    /**
     * Sets the index of this step among several of the same name, for steps in a loop.
     *
     * @param index the zero-based index; it must identify the same step in every replay
     * @return this call
     */
    public LocalCall<T> index(int index) {
        call.index(index);
        this.index = index;
        return this;
    }

    /**
     * Sets how long the provider remembers a token, counted from its first use. After that time a step with an unknown outcome is not run again: a
     * person has to resolve it.
     *
     * @param window the length of the window, for example 24 hours
     * @return this call
     */
    public LocalCall<T> providerWindow(Duration window) {
        call.providerWindow(window);
        return this;
    }

    /**
     * Fails the workflow permanently instead of waiting for a person, if the outcome is unknown and the provider's window is over.
     *
     * @return this call
     */
    public LocalCall<T> failAfterWindow() {
        call.failAfterWindow();
        return this;
    }

    /**
     * Runs the step again with the same token if its outcome is unknown. This is the default.
     *
     * @return this call
     */
    public LocalCall<T> retryIfUnknown() {
        call.retryIfUnknown();
        return this;
    }

    /**
     * Asks the provider if the outcome is unknown.
     *
     * @param probe asks the provider; if it does not know, a person has to resolve the step
     * @return this call
     */
    public LocalCall<T> probeIfUnknown(Probe<T> probe) {
        call.probeIfUnknown(probe);
        return this;
    }

    /**
     * Waits for a person if the outcome is unknown. Only who waits for the step waits: the rest of the workflow goes on.
     *
     * @return this call
     */
    public LocalCall<T> parkIfUnknown() {
        call.parkIfUnknown();
        return this;
    }

    /**
     * Assumes that the step is done if its outcome is unknown.
     *
     * @param assumed the result to record and return in that case
     * @return this call
     */
    public LocalCall<T> assumeDoneIfUnknown(T assumed) {
        call.assumeDoneIfUnknown(assumed);
        return this;
    }

    /**
     * Runs the step, or returns its recorded result if there is one. If a person has to resolve it, this waits for that.
     *
     * @param step the function; it gets a token to pass to the provider, the same on every attempt
     * @param <X> the exception of the function
     * @return its result, or the recorded result
     * @throws X the exception of the function
     * @throws dev.semel.task.TaskUnsuccessful if a person gave it up
     */
    public <X extends Exception> T run(Effect<T, X> step) throws X {
        return start(step).result();
    }

    /**
     * Runs the step in this thread unless its result is recorded, and goes on even if a person has to resolve it. {@link Step#result},
     * {@link Flow#all} and {@link Flow#any} wait for it.
     *
     * @param step the function; it gets a token to pass to the provider, the same on every attempt
     * @param <X> the exception of the function
     * @return the step
     * @throws X the exception of the function
     */
    public <X extends Exception> Step<T> start(Effect<T, X> step) throws X {
        return steps.start(index == 0 ? name : name + "#" + index, call, step);
    }
}
