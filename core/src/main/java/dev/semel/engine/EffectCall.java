package dev.semel.engine;

import dev.semel.guard.Effect;
import dev.semel.task.EffectId;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One effect of a handler that is about to run, and what to do if nobody knows whether an earlier attempt ran it. Made by
 * {@link TaskContext#effect(String, Class)}; each setting is checked as it is set; {@link #run} ends it.
 *
 * @param <T> the class of the result
 */
public final class EffectCall<T extends @Nullable Object> {

    private final Effects effects;
    private final Class<T> result;

    private EffectId id;
    private @Nullable Duration window;
    private boolean failsAfterWindow;
    private WhenUnknown<T> whenUnknown = new Retry<>();

    EffectCall(Effects effects, TaskId lineage, String name, Class<T> result) {
        this.effects = effects;
        this.result = result;
        this.id = new EffectId(lineage, name, 0);
    }

    /** What to do if an earlier attempt intended the effect and its outcome is unknown. */
    sealed interface WhenUnknown<T extends @Nullable Object> {}

    /** Run it again with the same token. */
    record Retry<T extends @Nullable Object>() implements WhenUnknown<T> {}

    /** Ask the provider. */
    record Ask<T extends @Nullable Object>(Probe<T> probe) implements WhenUnknown<T> {}

    /** Wait for a person. */
    record Park<T extends @Nullable Object>() implements WhenUnknown<T> {}

    /** Take it for done. */
    record Assume<T extends @Nullable Object>(T result) implements WhenUnknown<T> {}

    /**
     * Sets which one of several effects of this name it is, for effects in a loop.
     *
     * @param index from 0; the same for the same thing on every attempt
     * @return this call
     */
    public EffectCall<T> index(int index) {
        id = new EffectId(id.lineage(), id.name(), index);
        return this;
    }

    /**
     * Says for how long the provider remembers a token, from its first use on. After that a repeated call would be taken for
     * a new one, so an effect whose outcome is unknown is not run again: its task is parked.
     *
     * @param window the time, for example 24 hours
     * @return this call
     */
    public EffectCall<T> providerWindow(Duration window) {
        this.window = Limits.positive("window of an effect", window);
        return this;
    }

    /**
     * Fails the task for good instead of parking it, if the outcome is unknown and the provider's window is over.
     *
     * @return this call
     */
    public EffectCall<T> failAfterWindow() {
        failsAfterWindow = true;
        return this;
    }

    /**
     * If the outcome is unknown, runs the effect again with the same token. This is the default; right for providers that
     * honour tokens, and for effects that may happen twice.
     *
     * @return this call
     */
    public EffectCall<T> retryIfUnknown() {
        whenUnknown = new Retry<>();
        return this;
    }

    /**
     * If the outcome is unknown, asks the provider.
     *
     * @param probe asks it
     * @return this call
     */
    public EffectCall<T> probeIfUnknown(Probe<T> probe) {
        whenUnknown = new Ask<>(probe);
        return this;
    }

    /**
     * If the outcome is unknown, parks the task until a person says what became of it. The outcome is recorded before the
     * effect returns, because to lose it would cost a person's time.
     *
     * @return this call
     */
    public EffectCall<T> parkIfUnknown() {
        whenUnknown = new Park<>();
        return this;
    }

    /**
     * If the outcome is unknown, takes the effect for done; right for what must never happen twice and may be lost. The
     * outcome is recorded before the effect returns.
     *
     * @param assumed the result to record and return then
     * @return this call
     */
    public EffectCall<T> assumeDoneIfUnknown(T assumed) {
        whenUnknown = new Assume<>(assumed);
        return this;
    }

    /**
     * Runs the effect, unless an outcome is recorded for it: then that is returned.
     *
     * @param effect the effect; its exception leaves the outcome unknown, unless it is
     *     {@link dev.semel.task.EffectNotDone}
     * @param <X> what it throws
     * @return its result, or the recorded one
     * @throws X what the effect threw
     * @throws InvalidInput if the effect was run in this attempt before, or its result cannot be stored
     * @throws dev.semel.task.LeaseLost if another attempt has taken over
     */
    public <X extends Exception> T run(Effect<T, X> effect) throws X {
        return effects.run(this, effect);
    }

    EffectId id() {
        return id;
    }

    Class<T> result() {
        return result;
    }

    @Nullable
    Duration window() {
        return window;
    }

    boolean failsAfterWindow() {
        return failsAfterWindow;
    }

    WhenUnknown<T> whenUnknown() {
        return whenUnknown;
    }

    /** Whether to wait until the outcome is durable: where to lose it costs more than a call that is repeated. */
    boolean recordsAtOnce() {
        return whenUnknown instanceof Park || whenUnknown instanceof Assume;
    }
}
