package dev.semel.storetests.simulation;

import dev.semel.task.TaskId;
import java.util.ArrayList;
import java.util.List;

/** The world outside: where the effects of handlers go. No store knows of it. */
final class Sink {

    /**
     * One effect.
     *
     * @param taskId the task whose handler did it
     * @param attempt under which attempt
     * @param worker in which process
     * @param token the idempotency token that came with it
     * @param at when, in nanoseconds since the beginning
     */
    record Effect(TaskId taskId, int attempt, String worker, String token, long at) {}

    private final List<Effect> effects = new ArrayList<>();

    void add(Effect effect) {
        effects.add(effect);
    }

    List<Effect> effects() {
        return effects;
    }
}
