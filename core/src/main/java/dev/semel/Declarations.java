package dev.semel;

import dev.semel.store.Applied;
import dev.semel.store.QueueSetUp;
import dev.semel.store.QueueSettings;
import dev.semel.store.TaskStore;
import dev.semel.store.Transition;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Tells a store what the code and the configuration of a program say of queues: all of it, or nothing if it forms a circle. */
final class Declarations {

    static final String NOTHING_CHANGED = "Nothing was changed.";

    private final TaskStore store;

    Declarations(TaskStore store) {
        this.store = store;
    }

    /** Declares what code and configuration say of queues. */
    void declare(Map<String, QueueSettings> queues) {
        Map<String, QueueSetUp> known = queues.isEmpty() ? Map.of() : store.queues();
        Map<String, QueueSettings> changed = new LinkedHashMap<>(queues);
        // A program that starts a thousand times a day need not write what is there.
        changed.entrySet()
                .removeIf(entry -> entry.getValue()
                        .equals(known.getOrDefault(entry.getKey(), QueueSetUp.NONE)
                                .declared()));
        Map<String, QueueSettings> effective = new HashMap<>();
        known.forEach((queue, setUp) -> effective.put(queue, setUp.effective()));
        changed.forEach((queue, settings) -> effective.put(
                queue, known.getOrDefault(queue, QueueSetUp.NONE).set().or(settings)));
        effective.forEach((queue, settings) -> checkCircle(queue, settings, effective));
        declareInAnyOrder(changed);
    }

    private static void checkCircle(String queue, QueueSettings settings, Map<String, QueueSettings> all) {
        String deadLetters = settings.deadLettersTo();
        Set<String> passed = new HashSet<>();
        for (String at = deadLetters; at != null && passed.add(at); ) {
            if (at.equals(queue)) {
                throw circle(queue, NOTHING_CHANGED);
            }
            at = all.getOrDefault(at, QueueSettings.NONE).deadLettersTo();
        }
    }

    /** Together they form no circle, but one before the other may, with what was there before: then the other goes first. */
    private void declareInAnyOrder(Map<String, QueueSettings> changed) {
        Map<String, QueueSettings> left = new LinkedHashMap<>(changed);
        while (!left.isEmpty()) {
            boolean done = left.entrySet()
                    .removeIf(entry ->
                            store.apply(List.of(new Transition.DeclareQueue(entry.getKey(), entry.getValue())))
                                            .getFirst()
                                    != Applied.CIRCLE);
            if (!done) {
                // Somebody else changed a queue meanwhile.
                throw circle(left.keySet().iterator().next(), "The queues outside of the circle were declared.");
            }
        }
    }

    static InvalidInput circle(String queue, String changed) {
        return new InvalidInput("Queue \"" + Limits.shown(queue) + "\" would get its own dead letters back: the"
                + " dead-letter queues form a circle. " + changed + " Choose another dead-letter queue.");
    }
}
