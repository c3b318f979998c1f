package dev.semel.benchmarks.peers;

import dev.semel.benchmarks.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Figures derived from other samples: what a task writes to the log, and the dead rows that it leaves. */
final class Derived {

    static final String LOG_OF_LIFE = "log-life-key";

    private static final String SECTION = "What a task writes";

    private Derived() {}

    static List<Figures> of(List<Figures> figures) {
        List<Figures> derived = new ArrayList<>();
        for (Figures measure : figures) {
            switch (measure.id()) {
                case "submit-64-key" -> take(derived, measure, Measures.LOG, "log-submit-64-key", "submitted singly");
                case "submit-batch-key" ->
                    take(derived, measure, Measures.LOG, "log-submit-batch-key", "submitted in batches");
                case "drain" -> take(derived, measure, Measures.LOG, "log-drain", "run");
                case "life-key" -> {
                    take(derived, measure, Measures.LOG, LOG_OF_LIFE, "submitted and run");
                    take(derived, measure, Measures.DEAD, "dead-life-key", "submitted and run");
                }
                default -> {}
            }
        }
        return derived;
    }

    private static void take(List<Figures> derived, Figures measure, String detail, String id, String title) {
        Map<String, Series> series = measure.details().getOrDefault(detail, Map.of());
        if (!series.isEmpty()) {
            boolean log = detail.equals(Measures.LOG);
            derived.add(new Figures(
                    id,
                    SECTION,
                    (log ? "log" : "dead rows") + " of a task with key, " + title,
                    log ? "bytes" : "rows",
                    false,
                    series,
                    measure.tasks(),
                    Map.of()));
        }
    }
}
