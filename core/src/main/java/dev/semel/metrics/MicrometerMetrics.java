package dev.semel.metrics;

import dev.semel.observe.CallResult;
import dev.semel.observe.EffectResult;
import dev.semel.observe.Observer;
import dev.semel.observe.RefusedWrite;
import dev.semel.observe.StoreCall;
import dev.semel.observe.SubmitResult;
import dev.semel.store.Attempt;
import dev.semel.store.QueueDepth;
import dev.semel.task.CheckResult;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * An observer that counts and times everything with Micrometer. Pass it to {@code Semel.on(store).metrics(…)}, and to
 * {@code Guard.on(store).observer(…)} for the checks of a guard. One object serves all instances and guards of a process.
 * {@link Metric} lists the metrics, in addition to those of {@link MicrometerChecks}.
 *
 * <p>Tags are names of queues and task types and words of Semel, never ids or keys. After {@link #MOST_TYPES} pairs of queue
 * and type, all further ones are counted under {@link #OTHER}, so that a program that makes up names cannot fill the memory
 * of the registry.
 */
public final class MicrometerMetrics implements Observer {

    /** The most pairs of queue and task type, and the most queues with a depth, that have meters of their own. */
    public static final int MOST_TYPES = 200;

    /** The name of the queue and the type under which all further ones are counted. */
    public static final String OTHER = "other";

    private final MeterRegistry registry;
    private final MicrometerChecks checks;
    private final Map<String, Map<String, TypeMeters>> types = new ConcurrentHashMap<>();
    private final AtomicInteger known = new AtomicInteger();
    private final TypeMeters others;
    private final Map<StoreCall, Map<CallResult, Timer>> calls = new EnumMap<>(StoreCall.class);
    private final Map<StoreCall, DistributionSummary> batches = new EnumMap<>(StoreCall.class);
    private final Map<RefusedWrite, Counter> refused = new EnumMap<>(RefusedWrite.class);
    private final Counter cleanedTasks;
    private final Counter cleanedRecords;
    private final LongAdder slots = new LongAdder();
    private final LongAdder running = new LongAdder();
    private final MultiGauge depth;
    private final MultiGauge oldest;

    /**
     * Registers the meters that do not depend on queues and types immediately, so that they are reported as 0.
     *
     * @param registry the registry of the meters
     */
    public MicrometerMetrics(MeterRegistry registry) {
        this.registry = registry;
        this.checks = new MicrometerChecks(registry);
        this.others = new TypeMeters(registry, OTHER, OTHER);
        for (StoreCall call : StoreCall.values()) {
            Map<CallResult, Timer> timers = new EnumMap<>(CallResult.class);
            for (CallResult result : CallResult.values()) {
                timers.put(result, Metric.CALLS.timer(registry, call.word(), result.word()));
            }
            calls.put(call, timers);
        }
        for (StoreCall call : List.of(StoreCall.SUBMIT, StoreCall.CLAIM, StoreCall.SETTLE)) {
            batches.put(call, Metric.BATCH.summary(registry, call.word()));
        }
        for (RefusedWrite write : RefusedWrite.values()) {
            refused.put(write, Metric.REFUSED.counter(registry, write.word()));
        }
        this.cleanedTasks = Metric.CLEANED.counter(registry, "tasks");
        this.cleanedRecords = Metric.CLEANED.counter(registry, "records");
        gauge(Metric.SLOTS, slots);
        gauge(Metric.RUNNING, running);
        this.depth = MultiGauge.builder(Metric.DEPTH.id())
                .description(Metric.DEPTH.description())
                .register(registry);
        this.oldest = MultiGauge.builder(Metric.OLDEST.id())
                .description(Metric.OLDEST.description())
                .baseUnit("seconds")
                .register(registry);
    }

    private void gauge(Metric metric, LongAdder value) {
        Gauge.builder(metric.id(), value, LongAdder::doubleValue)
                .description(metric.description())
                .register(registry);
    }

    private TypeMeters of(String queue, String type) {
        Map<String, TypeMeters> inQueue = types.get(queue);
        TypeMeters found = inQueue == null ? null : inQueue.get(type);
        return found != null ? found : add(queue, type);
    }

    private TypeMeters add(String queue, String type) {
        if (known.get() >= MOST_TYPES) {
            return others;
        }
        return types.computeIfAbsent(queue, name -> new ConcurrentHashMap<>()).computeIfAbsent(type, name -> {
            known.incrementAndGet();
            return new TypeMeters(registry, queue, type);
        });
    }

    @Override
    public void checked(CheckResult result, Duration took) {
        checks.checked(result, took);
    }

    @Override
    public void submitted(String queue, String type, SubmitResult result) {
        of(queue, type).submitted(result);
    }

    @Override
    public void claimed(String queue, String type) {
        of(queue, type).claimed();
    }

    @Override
    public void started(String queue, String type, @Nullable Duration waited) {
        running.increment();
        of(queue, type).started(waited);
    }

    @Override
    public void ran(String queue, String type, Duration took) {
        running.decrement();
        of(queue, type).ran(took);
    }

    @Override
    public void settled(String queue, String type, Attempt.Outcome outcome) {
        of(queue, type).settled(outcome);
    }

    @Override
    public void leaseLost(String queue, String type) {
        of(queue, type).leaseLost();
    }

    @Override
    public void effect(String queue, String type, EffectResult result) {
        of(queue, type).effect(result);
    }

    @Override
    public void storeCalled(StoreCall call, CallResult result, int items, Duration took) {
        Map<CallResult, Timer> timers = calls.get(call);
        Timer timer = timers == null ? null : timers.get(result);
        if (timer != null) {
            timer.record(took);
        }
        DistributionSummary batch = items == 0 ? null : batches.get(call);
        if (batch != null) {
            batch.record(items);
        }
    }

    @Override
    public void refused(RefusedWrite write) {
        Counter counter = refused.get(write);
        if (counter != null) {
            counter.increment();
        }
    }

    @Override
    public void cleaned(int tasks, int records) {
        cleanedTasks.increment(tasks);
        cleanedRecords.increment(records);
    }

    @Override
    public void slots(int more) {
        slots.add(more);
    }

    @Override
    public void depths(Map<String, QueueDepth> depths, Instant now) {
        List<Row<?>> counts = new ArrayList<>();
        List<Row<?>> ages = new ArrayList<>();
        // Sorted, so that the queues beyond the limit are the same ones each time.
        for (Map.Entry<String, QueueDepth> entry : new TreeMap<>(depths).entrySet()) {
            if (ages.size() == MOST_TYPES) {
                break;
            }
            String queue = entry.getKey();
            QueueDepth of = entry.getValue();
            counts.add(count(queue, "due", of.due()));
            counts.add(count(queue, "delayed", of.delayed()));
            counts.add(count(queue, "running", of.running()));
            counts.add(count(queue, "waiting", of.waiting()));
            counts.add(count(queue, "dead", of.dead()));
            Instant since = of.oldestDue();
            double age =
                    since == null ? 0 : Math.max(0, Duration.between(since, now).toMillis() / 1000.0);
            ages.add(Row.of(Tags.of(Metric.OLDEST.tagged(queue)), age));
        }
        depth.register(counts, true);
        oldest.register(ages, true);
    }

    private static Row<?> count(String queue, String state, long tasks) {
        return Row.of(Tags.of(Metric.DEPTH.tagged(queue, state)), tasks);
    }
}
