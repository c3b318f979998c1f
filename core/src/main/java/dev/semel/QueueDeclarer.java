package dev.semel;

import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.QueueSetUp;
import dev.semel.store.QueueSettings;
import dev.semel.store.TaskStore;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A declarer of the queue settings in code and configuration: it declares all of them in a store, or none if the
 * dead-letter queues form a circle.
 */
final class QueueDeclarer {

    static final String NOTHING_CHANGED = "Nothing was changed.";

    private static final int AT_ONCE = 1_000;

    private final TaskStore store;

    QueueDeclarer(TaskStore store) {
        this.store = store;
    }

    /** Declares the queue settings of code and configuration. */
    void declare(Map<String, QueueSettings> queues) {
        Map<String, QueueSetUp> known = queues.isEmpty() ? Map.of() : store.queues();
        Map<String, QueueSettings> changed = new LinkedHashMap<>(queues);
        // A program that starts a thousand times a day should not write settings that are stored already.
        changed.entrySet()
                .removeIf(entry -> entry.getValue()
                        .equals(known.getOrDefault(entry.getKey(), QueueSetUp.NONE)
                                .declared()));
        Map<String, QueueSettings> effective = new HashMap<>();
        known.forEach((queue, setUp) -> effective.put(queue, setUp.effective()));
        changed.forEach((queue, settings) -> effective.put(
                queue, known.getOrDefault(queue, QueueSetUp.NONE).set().or(settings)));
        effective.forEach((queue, settings) -> checkCircle(queue, settings, effective));
        declareAll(changed);
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

    /**
     * Declares queues in batches. Together they form no circle, but a single one may form a circle with the settings that
     * were stored before. Such a queue is declared after the others.
     */
    private void declareAll(Map<String, QueueSettings> changed) {
        List<Operation.DeclareQueue> left = new ArrayList<>();
        changed.forEach((queue, settings) -> left.add(new Operation.DeclareQueue(queue, settings)));
        while (!left.isEmpty()) {
            List<Operation.DeclareQueue> refused = new ArrayList<>();
            for (int from = 0; from < left.size(); from += AT_ONCE) {
                List<Operation.DeclareQueue> batch =
                        List.copyOf(left.subList(from, Math.min(left.size(), from + AT_ONCE)));
                List<Operated> answers = store.operate(batch);
                for (int i = 0; i < batch.size(); i++) {
                    if (answers.get(i) == Operated.CIRCLE) {
                        refused.add(batch.get(i));
                    }
                }
            }
            if (refused.size() == left.size()) {
                // Another process changed a queue meanwhile.
                throw circle(left.getFirst().queue(), "The queues outside of the circle were declared.");
            }
            left.clear();
            left.addAll(refused);
        }
    }

    static InvalidInput circle(String queue, String changed) {
        return new InvalidInput("Queue \"" + Limits.shown(queue)
                + "\" would get its own dead letters back: the dead-letter queues form a circle. " + changed
                + " Choose another dead-letter queue.");
    }
}
