package dev.semel.engine;

import dev.semel.task.EffectId;

/**
 * The exception that ends a handler whose task waits for a person. The task is parked even if the handler catches it.
 */
final class Parked extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient EffectId effect;

    Parked(EffectId effect, String reason) {
        super(reason, null, false, false);
        this.effect = effect;
    }

    EffectId effect() {
        return effect;
    }

    String reason() {
        return String.valueOf(getMessage());
    }
}
