package dev.semel.metrics;

import dev.semel.task.CheckObserver;
import dev.semel.task.CheckResult;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/**
 * An observer that counts and times idempotency checks with Micrometer. The counter is {@code idempotency.check} and
 * the timer is {@code idempotency.check.duration}. Each has the tag {@code result}, which is one of {@code new},
 * {@code duplicate}, {@code conflict} and {@code error}. In Prometheus they are called {@code idempotency_check_total}
 * and {@code idempotency_check_duration_seconds}.
 */
public final class MicrometerChecks implements CheckObserver {

    /** The name of the counter. */
    public static final String COUNTER = "idempotency.check";

    /** The name of the timer. */
    public static final String TIMER = "idempotency.check.duration";

    private final Map<CheckResult, Counter> counters = new EnumMap<>(CheckResult.class);
    private final Map<CheckResult, Timer> timers = new EnumMap<>(CheckResult.class);

    /**
     * Registers all meters immediately, so that they are reported as 0 before the first check.
     *
     * @param registry the registry of the meters
     */
    public MicrometerChecks(MeterRegistry registry) {
        for (CheckResult result : CheckResult.values()) {
            counters.put(
                    result,
                    Counter.builder(COUNTER)
                            .description("Idempotency checks by submissions and guards")
                            .tag("result", result.word())
                            .register(registry));
            timers.put(
                    result,
                    Timer.builder(TIMER)
                            .description("Duration of idempotency checks")
                            .tag("result", result.word())
                            .register(registry));
        }
    }

    @Override
    public void checked(CheckResult result, Duration took) {
        Counter counter = counters.get(result);
        Timer timer = timers.get(result);
        if (counter != null && timer != null) {
            counter.increment();
            timer.record(took);
        }
    }
}
