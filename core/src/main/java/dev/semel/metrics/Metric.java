package dev.semel.metrics;

import dev.semel.observe.Observer;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.Locale;

/**
 * The metrics of {@link MicrometerMetrics}: everything that {@link Observer} reports, by name, kind and tags. The page
 * docs/reference/metrics.md lists the same, and a test compares the two.
 */
public enum Metric {
    /** Submissions. */
    SUBMITTED(Kind.COUNTER, "semel.tasks.submitted", "Submissions by their answer", "queue", "type", "result"),
    /** Claimed tasks. */
    CLAIMED(Kind.COUNTER, "semel.tasks.claimed", "Tasks that a worker has claimed", "queue", "type"),
    /** Time from due to start. */
    WAIT(Kind.TIMER, "semel.tasks.wait", "Time from due to the start of the handler", "queue", "type"),
    /** Run time. */
    RUN(Kind.TIMER, "semel.tasks.run", "Run time of handlers", "queue", "type"),
    /** Finished tasks. */
    FINISHED(Kind.COUNTER, "semel.tasks.finished", "Tasks that have ended", "queue", "type", "outcome"),
    /** Retries. */
    RETRIED(Kind.COUNTER, "semel.tasks.retried", "Failed attempts with another one to follow", "queue", "type"),
    /** Put-backs. */
    RETURNED(Kind.COUNTER, "semel.tasks.returned", "Attempts that returned their task to the queue", "queue", "type"),
    /** Parked tasks. */
    PARKED(Kind.COUNTER, "semel.tasks.parked", "Attempts that ended with an unknown effect", "queue", "type"),
    /** Dead letters. */
    DEAD(Kind.COUNTER, "semel.tasks.dead", "Tasks that became dead letters", "queue", "type"),
    /** Lost leases. */
    LEASES_LOST(Kind.COUNTER, "semel.leases.lost", "Attempts that lost their lease", "queue", "type"),
    /** Refused writes. */
    REFUSED(Kind.COUNTER, "semel.writes.refused", "Stale writes that the store refused", "write"),
    /** Effects. */
    EFFECTS(Kind.COUNTER, "semel.effects", "Effects of handlers by result", "queue", "type", "result"),
    /** Depth of queues. */
    DEPTH(Kind.GAUGE, "semel.queue.depth", "Tasks of a queue by state", "queue", "state"),
    /** Age of the oldest due task. */
    OLDEST(Kind.AGE, "semel.queue.oldest.due.age", "Time since the oldest due task is due", "queue"),
    /** Slots of workers. */
    SLOTS(Kind.GAUGE, "semel.worker.slots", "Handlers that the workers of this process may run at once"),
    /** Running handlers. */
    RUNNING(Kind.GAUGE, "semel.worker.running", "Handlers that run in this process"),
    /** Store calls. */
    CALLS(Kind.TIMER, "semel.store.calls", "Duration of store calls", "call", "result"),
    /** Sizes of batches. */
    BATCH(Kind.SUMMARY, "semel.store.batch", "Items of one store call", "call"),
    /** Cleaning. */
    CLEANED(Kind.COUNTER, "semel.cleaned", "Data that the cleaning has removed", "what");

    /** The kind of a meter. */
    enum Kind {
        COUNTER,
        TIMER,
        SUMMARY,
        GAUGE,
        AGE
    }

    private final Kind kind;
    private final String id;
    private final String description;
    // Not a list, which the compiler takes for mutable.
    private final String tags;

    Metric(Kind kind, String id, String description, String... tags) {
        this.kind = kind;
        this.id = id;
        this.description = description;
        this.tags = String.join(",", tags);
    }

    /**
     * Returns the name in Micrometer.
     *
     * @return the name with dots
     */
    public String id() {
        return id;
    }

    /**
     * Returns the keys of the tags.
     *
     * @return the keys, in order
     */
    public List<String> tags() {
        return tags.isEmpty() ? List.of() : List.of(tags.split(",", -1));
    }

    /**
     * Returns the names of the series in Prometheus.
     *
     * @return one name, or three for timers and summaries
     */
    public List<String> series() {
        String name = id.replace('.', '_').toLowerCase(Locale.ROOT);
        return switch (kind) {
            case COUNTER -> List.of(name + "_total");
            case GAUGE -> List.of(name);
            case AGE -> List.of(name + "_seconds");
            case TIMER -> List.of(name + "_seconds_count", name + "_seconds_sum", name + "_seconds_max");
            case SUMMARY -> List.of(name + "_count", name + "_sum", name + "_max");
        };
    }

    Kind kind() {
        return kind;
    }

    String description() {
        return description;
    }

    Counter counter(MeterRegistry registry, String... values) {
        return Counter.builder(id).description(description).tags(tagged(values)).register(registry);
    }

    Timer timer(MeterRegistry registry, String... values) {
        return Timer.builder(id).description(description).tags(tagged(values)).register(registry);
    }

    DistributionSummary summary(MeterRegistry registry, String... values) {
        return DistributionSummary.builder(id)
                .description(description)
                .tags(tagged(values))
                .register(registry);
    }

    /** Returns keys and values in turns, as Micrometer wants them. */
    String[] tagged(String... values) {
        List<String> keys = tags();
        if (values.length != keys.size()) {
            throw new IllegalArgumentException(
                    "Metric \"" + id + "\" has the tags \"" + tags + "\", but got " + values.length + " values");
        }
        String[] pairs = new String[2 * values.length];
        for (int i = 0; i < values.length; i++) {
            pairs[2 * i] = keys.get(i);
            pairs[2 * i + 1] = values[i];
        }
        return pairs;
    }
}
