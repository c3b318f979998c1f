package dev.semel.metrics;

import dev.semel.observe.EffectResult;
import dev.semel.observe.SubmitResult;
import dev.semel.store.Attempt;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one task type in one queue. Those of submissions, of attempts and of effects are registered separately,
 * with the first event of their kind: a process that only submits has no meters of attempts.
 */
final class TypeMeters {

    private final MeterRegistry registry;
    private final String queue;
    private final String type;

    // Written more than once at the most by threads that come at the same time, with the same meters.
    private volatile @Nullable Map<SubmitResult, Counter> submissions;
    private volatile @Nullable Attempts attempts;
    private volatile @Nullable Map<EffectResult, Counter> effects;

    TypeMeters(MeterRegistry registry, String queue, String type) {
        this.registry = registry;
        this.queue = queue;
        this.type = type;
    }

    private record Attempts(
            Counter claimed,
            Timer waiting,
            Timer running,
            Map<Attempt.Outcome, Counter> ends,
            Counter dead,
            Counter leasesLost) {}

    void submitted(SubmitResult result) {
        Map<SubmitResult, Counter> counters = submissions;
        if (counters == null) {
            counters = new EnumMap<>(SubmitResult.class);
            for (SubmitResult one : SubmitResult.values()) {
                counters.put(one, Metric.SUBMITTED.counter(registry, queue, type, one.word()));
            }
            submissions = counters;
        }
        increment(counters.get(result));
    }

    void effect(EffectResult result) {
        Map<EffectResult, Counter> counters = effects;
        if (counters == null) {
            counters = new EnumMap<>(EffectResult.class);
            for (EffectResult one : EffectResult.values()) {
                counters.put(one, Metric.EFFECTS.counter(registry, queue, type, one.word()));
            }
            effects = counters;
        }
        increment(counters.get(result));
    }

    private Attempts attempts() {
        Attempts meters = attempts;
        if (meters == null) {
            meters = new Attempts(
                    Metric.CLAIMED.counter(registry, queue, type),
                    Metric.WAIT.timer(registry, queue, type),
                    Metric.RUN.timer(registry, queue, type),
                    ends(),
                    Metric.DEAD.counter(registry, queue, type),
                    Metric.LEASES_LOST.counter(registry, queue, type));
            attempts = meters;
        }
        return meters;
    }

    private Map<Attempt.Outcome, Counter> ends() {
        Map<Attempt.Outcome, Counter> counters = new EnumMap<>(Attempt.Outcome.class);
        for (Attempt.Outcome outcome : Attempt.Outcome.values()) {
            Counter counter = switch (outcome) {
                case COMPLETED, FAILED, TIMED_OUT, CANCELLED ->
                    Metric.FINISHED.counter(registry, queue, type, outcome.word());
                case RETRIED -> Metric.RETRIED.counter(registry, queue, type);
                case PUT_BACK -> Metric.RETURNED.counter(registry, queue, type);
                case PARKED -> Metric.PARKED.counter(registry, queue, type);
                case VANISHED, WAITED -> null; // no worker reports its own disappearance; a wait is no end
            };
            if (counter != null) {
                counters.put(outcome, counter);
            }
        }
        return counters;
    }

    void claimed() {
        attempts().claimed.increment();
    }

    void started(@Nullable Duration waited) {
        if (waited != null) {
            attempts().waiting.record(waited);
        }
    }

    void ran(Duration took) {
        attempts().running.record(took);
    }

    void settled(Attempt.Outcome outcome) {
        Attempts meters = attempts();
        increment(meters.ends.get(outcome));
        if (outcome == Attempt.Outcome.FAILED || outcome == Attempt.Outcome.TIMED_OUT) {
            meters.dead.increment();
        }
    }

    void leaseLost() {
        attempts().leasesLost.increment();
    }

    private static void increment(@Nullable Counter counter) {
        if (counter != null) {
            counter.increment();
        }
    }
}
