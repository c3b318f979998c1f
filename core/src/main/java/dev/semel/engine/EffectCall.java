package dev.semel.engine;

import dev.semel.guard.Effect;
import dev.semel.task.EffectId;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import dev.semel.task.TypeRef;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One effect of a handler that is about to run, with the policy for an unknown outcome. Created by
 * {@link TaskContext#effect(String, Class)}. Each setting is validated as it is set; {@link #run} runs the effect, and
 * without it nothing happens.
 *
 * @param <T> the class of the result
 */
public final class EffectCall<T extends @Nullable Object> {

    private final Effects effects;
    private final TypeRef<T> result;

    private EffectId id;
    private @Nullable Duration window;
    private boolean failsAfterWindow;
    private WhenUnknown<T> whenUnknown = new Retry<>();

    EffectCall(Effects effects, TaskId lineage, String name, TypeRef<T> result) {
        this.effects = effects;
        this.result = result;
        this.id = new EffectId(lineage, name, 0);
    }

    /** The policy for an effect that an earlier attempt intended and whose outcome is unknown. */
    sealed interface WhenUnknown<T extends @Nullable Object> {}

    /** Runs the effect again with the same token. */
    record Retry<T extends @Nullable Object>() implements WhenUnknown<T> {}

    /** Asks the provider. */
    record Ask<T extends @Nullable Object>(Probe<T> probe) implements WhenUnknown<T> {}

    /** Parks the task until a person resolves the effect. */
    record Park<T extends @Nullable Object>() implements WhenUnknown<T> {}

    /** Assumes that the effect is done. */
    record Assume<T extends @Nullable Object>(T result) implements WhenUnknown<T> {}

    /**
     * Sets the index of this effect among several effects of the same name, for effects in a loop.
     *
     * @param index the zero-based index; it must identify the same effect on every attempt
     * @return this call
     */
    public EffectCall<T> index(int index) {
        id = new EffectId(id.lineage(), id.name(), index);
        return this;
    }

    /**
     * Sets how long the provider remembers a token, counted from its first use. After that time the provider would
     * treat a repeated call as a new one, so an effect with an unknown outcome is not run again: its task is parked.
     *
     * @param window the length of the window, for example 24 hours
     * @return this call
     */
    public EffectCall<T> providerWindow(Duration window) {
        this.window = Limits.positive("window of an effect", window);
        return this;
    }

    /**
     * Fails the task permanently instead of parking it, if the outcome is unknown and the provider's window is over.
     *
     * @return this call
     */
    public EffectCall<T> failAfterWindow() {
        failsAfterWindow = true;
        return this;
    }

    /**
     * Runs the effect again with the same token if its outcome is unknown. This is the default. It suits providers that
     * honour tokens, and effects that may happen twice.
     *
     * @return this call
     */
    public EffectCall<T> retryIfUnknown() {
        whenUnknown = new Retry<>();
        return this;
    }

    /**
     * Asks the provider if the outcome is unknown.
     *
     * @param probe asks the provider
     * @return this call
     */
    public EffectCall<T> probeIfUnknown(Probe<T> probe) {
        whenUnknown = new Ask<>(probe);
        return this;
    }

    /**
     * Parks the task until a person resolves the effect, if its outcome is unknown. The outcome is recorded before the
     * effect returns, because losing it would cost a person's time.
     *
     * @return this call
     */
    public EffectCall<T> parkIfUnknown() {
        whenUnknown = new Park<>();
        return this;
    }

    /**
     * Assumes that the effect is done if its outcome is unknown. This suits effects that must never happen twice and
     * may be lost. The outcome is recorded before the effect returns.
     *
     * @param assumed the result to record and return in that case
     * @return this call
     */
    public EffectCall<T> assumeDoneIfUnknown(T assumed) {
        whenUnknown = new Assume<>(assumed);
        return this;
    }

    /**
     * Runs the effect, or returns its recorded result if there is one.
     *
     * @param effect the effect; an exception leaves the outcome unknown, unless it is
     *     {@link dev.semel.task.EffectNotDone}
     * @param <X> the exception of the effect
     * @return the result of the effect, or the recorded result
     * @throws X the exception of the effect
     * @throws InvalidInput if the effect has already run in this attempt, or its result cannot be stored
     * @throws dev.semel.task.LeaseLost if another attempt has taken over
     */
    public <X extends Exception> T run(Effect<T, X> effect) throws X {
        return effects.run(this, effect);
    }

    EffectId id() {
        return id;
    }

    TypeRef<T> result() {
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

    /**
     * Returns whether {@link #run} waits until the outcome is durable, because losing it costs more than a repeated
     * call.
     */
    boolean recordsAtOnce() {
        return whenUnknown instanceof Park || whenUnknown instanceof Assume;
    }
}
