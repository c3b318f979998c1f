package dev.semel.guard;

import dev.semel.task.InputHash;
import dev.semel.task.Json;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A guarded call with its own settings, to be used once and by one thread. */
public final class GuardCall {

    private final GuardRunner runner;
    private final String key;
    private GuardSettings settings;
    private @Nullable InputHash payload;

    GuardCall(GuardRunner runner, GuardSettings settings, String key) {
        this.runner = runner;
        this.settings = settings;
        this.key = key;
    }

    /**
     * Sets the tenant.
     *
     * @param tenant the tenant; the guard's by default
     * @return this call
     */
    public GuardCall tenant(String tenant) {
        settings = settings.withTenant(tenant);
        return this;
    }

    /**
     * Sets how long the outcome is kept.
     *
     * @param ttl the time; the guard's by default
     * @return this call
     */
    public GuardCall ttl(Duration ttl) {
        settings = settings.withTtl(ttl);
        return this;
    }

    /**
     * Sets the name of the effect in logs.
     *
     * @param type the name; the guard's by default
     * @return this call
     */
    public GuardCall type(String type) {
        settings = settings.withType(type);
        return this;
    }

    /**
     * Sets the behaviour when another call is running the effect.
     *
     * @param choice the behaviour; the guard's by default
     * @return this call
     */
    public GuardCall whenBusy(WhenBusy choice) {
        settings = settings.withWhenBusy(choice);
        return this;
    }

    /**
     * Sets the payload, which is compared with the payload of earlier calls under the same key. Only its hash is
     * stored.
     *
     * @param payload the payload; a {@link Json} is used as it is, any other object is encoded as JSON first
     * @return this call
     */
    public GuardCall payload(Object payload) {
        Arguments.notNull("payload", payload);
        Json json = payload instanceof Json given ? given : Json.parse(runner.encoded(payload));
        this.payload = InputHash.of(json, List.of());
        return this;
    }

    /**
     * Runs the effect unless it has happened; see {@link Guard#once}.
     *
     * @param type the class of the result
     * @param effect the effect
     * @param <T> the class of the result
     * @param <X> the exception of the effect
     * @return the result; null if the effect was skipped
     * @throws X if the effect failed
     */
    @SuppressWarnings("NullAway") // a skipped effect has no result, whatever T is
    public <T extends @Nullable Object, X extends Exception> T once(Class<T> type, Effect<T, X> effect) throws X {
        return switch (outcome(type, effect)) {
            case Outcome.Ran<T>(T result) -> result;
            case Outcome.Repeated<T>(T result, var finishedAt) -> result;
            case Outcome.Skipped<T>(var remaining) -> null;
            case Outcome.Unguarded<T>(T result) -> result;
        };
    }

    /**
     * Runs the effect unless it has happened, and returns the outcome of the call.
     *
     * @param type the class of the result
     * @param effect the effect
     * @param <T> the class of the result
     * @param <X> the exception of the effect
     * @return the outcome of the call
     * @throws X if the effect failed
     */
    public <T extends @Nullable Object, X extends Exception> Outcome<T> outcome(Class<T> type, Effect<T, X> effect)
            throws X {
        Arguments.notNull("class of the result", type);
        Arguments.notNull("effect", effect);
        return runner.run(this, type, effect);
    }

    String key() {
        return key;
    }

    GuardSettings settings() {
        return settings;
    }

    Hold hold(OwnerToken owner) {
        GuardKey whole = new GuardKey(settings.tenant(), settings.prefix() + key);
        return new Hold(whole, owner, payload, settings.lease(), settings.ttl());
    }
}
