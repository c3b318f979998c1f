package dev.semel.tracing;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The names of spans by queue, made once. Bounded, because the names of queues come from submissions. */
final class SpanNames {

    private static final int MOST = 1_000;

    private final Map<String, String> names = new ConcurrentHashMap<>();
    private final String operation;

    SpanNames(String operation) {
        this.operation = operation;
    }

    String of(String queue) {
        String name = names.get(queue);
        if (name == null) {
            name = operation + queue;
            if (names.size() < MOST) {
                names.put(queue, name);
            }
        }
        return name;
    }
}
