package dev.semel.engine;

import dev.semel.task.EffectId;

/** Thrown through a handler whose task waits for a person. What the handler makes of it does not matter: the task is parked. */
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
