package dev.semel.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.semel.Semel;
import dev.semel.Submission;
import dev.semel.engine.Worker;
import dev.semel.guard.Guard;
import dev.semel.guard.InMemoryGuardStore;
import dev.semel.observe.EffectResult;
import dev.semel.observe.Observer;
import dev.semel.observe.SubmitResult;
import dev.semel.store.Attempt;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.QueueDepth;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.TaskStore;
import dev.semel.task.IdempotencyConflict;
import dev.semel.task.PermanentFailure;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskType;
import dev.semel.task.TaskUnsuccessful;
import dev.semel.workflow.WorkflowType;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.assertj.core.api.Assertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Metrics of real instances on a store in memory, read from a Prometheus registry. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MicrometerMetricsTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    private static final TaskType<String, String> WORK = TaskType.builder("work", String.class, String.class)
            .queue("jobs")
            .retry(RetryPolicy.delays(Duration.ofMillis(1)))
            .build();

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final MicrometerMetrics metrics = new MicrometerMetrics(registry);

    private double count(Metric metric, String... values) {
        Counter counter = registry.find(metric.id()).tags(metric.tagged(values)).counter();
        return counter == null ? -1 : counter.count();
    }

    private double deadInJobs() {
        Gauge gauge = registry.find(Metric.DEPTH.id())
                .tags(Metric.DEPTH.tagged("jobs", "dead"))
                .gauge();
        return gauge == null ? -1 : gauge.value();
    }

    private static void until(Runnable assertion) {
        await().atMost(LONG).pollInterval(Duration.ofMillis(5)).untilAsserted(assertion::run);
    }

    @Test
    void stepsOfWorkflowsCountAsSubmissionsOnce() {
        WorkflowType<String, String> flow = WorkflowType.of(TaskType.builder("flow", String.class, String.class)
                .queue("jobs")
                .build());
        try (Semel semel = Semel.on(new InMemoryTaskStore()).metrics(metrics).build()) {
            semel.worker("jobs")
                    .handle(WORK, (context, input) -> input)
                    .workflow(
                            flow,
                            (steps, input) -> steps.run(WORK, "a")
                                    + steps.run(WORK, "b", options -> options.idempotencyKey("b"))
                                    + steps.run(WORK, "b", options -> options.idempotencyKey("b")))
                    .start();
            assertThat(semel.start(flow, "id", "in").result(LONG)).isEqualTo("abb");
            assertThat(count(Metric.SUBMITTED, "jobs", "work", "new")).isEqualTo(2);
            assertThat(count(Metric.SUBMITTED, "jobs", "work", "duplicate")).isEqualTo(1);
            assertThat(count(Metric.SUBMITTED, "jobs", "flow", "new")).isEqualTo(1);
        }
    }

    @Test
    void everyMetricIsInAScrapeAndNoTagHasAnId() {
        try (Semel semel = Semel.on(new InMemoryTaskStore())
                .metrics(metrics)
                .depths(Duration.ofSeconds(1))
                .build()) {
            AtomicInteger calls = new AtomicInteger();
            semel.worker("jobs")
                    .handle(WORK, (context, input) -> {
                        context.effect("note", token -> calls.incrementAndGet());
                        if (input.equals("retried") && context.attempt() == 1) {
                            throw new IllegalStateException("once more");
                        }
                        if (input.equals("dead")) {
                            throw new PermanentFailure("no use");
                        }
                        return input;
                    })
                    .concurrency(3)
                    .start();
            Submission<String> plain = semel.submit(WORK, "plain").send();
            Submission<String> retried =
                    semel.submit(WORK, "retried").idempotencyKey("k").send();
            semel.submit(WORK, "retried").idempotencyKey("k").send();
            Assertions.assertThatThrownBy(() ->
                            semel.submit(WORK, "other").idempotencyKey("k").send())
                    .isInstanceOf(IdempotencyConflict.class);
            Submission<String> dead = semel.submit(WORK, "dead").send();
            assertThat(plain.result(LONG)).isEqualTo("plain");
            assertThat(retried.result(LONG)).isEqualTo("retried");
            Assertions.assertThatThrownBy(() -> dead.result(LONG)).isInstanceOf(TaskUnsuccessful.class);

            until(() -> assertThat(count(Metric.FINISHED, "jobs", "work", "completed"))
                    .isEqualTo(2));
            until(() ->
                    assertThat(count(Metric.FINISHED, "jobs", "work", "failed")).isEqualTo(1));
            assertThat(count(Metric.SUBMITTED, "jobs", "work", "new")).isEqualTo(3);
            assertThat(count(Metric.SUBMITTED, "jobs", "work", "duplicate")).isEqualTo(1);
            assertThat(count(Metric.SUBMITTED, "jobs", "work", "conflict")).isEqualTo(1);
            assertThat(count(Metric.CLAIMED, "jobs", "work")).isEqualTo(4);
            assertThat(count(Metric.RETRIED, "jobs", "work")).isEqualTo(1);
            assertThat(count(Metric.DEAD, "jobs", "work")).isEqualTo(1);
            assertThat(count(Metric.EFFECTS, "jobs", "work", "done")).isEqualTo(3);
            assertThat(count(Metric.EFFECTS, "jobs", "work", "recorded")).isEqualTo(1);
            Timer run = registry.get(Metric.RUN.id()).timer();
            Timer wait = registry.get(Metric.WAIT.id()).timer();
            assertThat(run.count()).isEqualTo(4);
            assertThat(wait.count()).isEqualTo(4);
            assertThat(registry.get(Metric.SLOTS.id()).gauge().value()).isEqualTo(3);
            until(() -> assertThat(deadInJobs()).isEqualTo(1));
            semel.operations().clean(swept -> {});

            String scrape = registry.scrape();
            for (Metric metric : Metric.values()) {
                assertThat(metric.series())
                        .allSatisfy(series -> assertThat(scrape).containsPattern("(?m)^" + series + "(\\{| )"));
            }
            assertThat(scrape).contains("idempotency_check_total{result=\"duplicate\"} 1.0");
            assertThat(scrape).doesNotContainPattern("[0-9a-f]{8}-[0-9a-f]{4}-");
        }
        until(() -> assertThat(registry.get(Metric.SLOTS.id()).gauge().value()).isZero());
        assertThat(registry.get(Metric.RUNNING.id()).gauge().value()).isZero();
    }

    @Test
    void everyMeterHasTheTagsOfItsMetric() {
        metrics.submitted("q", "t", SubmitResult.NEW);
        metrics.claimed("q", "t");
        metrics.effect("q", "t", EffectResult.DONE);
        metrics.depths(Map.of("q", new QueueDepth(1, 2, 3, 4, 5, Instant.EPOCH)), Instant.ofEpochSecond(7));
        Map<String, List<String>> tags = registry.getMeters().stream()
                .map(Meter::getId)
                .filter(id -> id.getName().startsWith("semel."))
                .collect(Collectors.toMap(
                        Meter.Id::getName,
                        id -> id.getTags().stream().map(Tag::getKey).sorted().toList(),
                        (one, other) -> {
                            assertThat(one).isEqualTo(other);
                            return one;
                        }));
        for (Metric metric : Metric.values()) {
            assertThat(tags.get(metric.id()))
                    .as(metric.id())
                    .containsExactlyElementsOf(metric.tags().stream().sorted().toList());
        }
        assertThat(tags).hasSize(Metric.values().length);
        assertThat(registry.get(Metric.OLDEST.id()).gauge().value()).isEqualTo(7);
    }

    @Test
    void namesBeyondTheLimitAreCountedAsOther() {
        for (int i = 0; i < MicrometerMetrics.MOST_TYPES + 50; i++) {
            metrics.claimed("queue", "type-" + i);
            metrics.claimed("queue-" + i, "type");
        }
        assertThat(registry.find(Metric.CLAIMED.id()).counters()).hasSize(MicrometerMetrics.MOST_TYPES + 1);
        assertThat(count(Metric.CLAIMED, "other", "other")).isEqualTo(MicrometerMetrics.MOST_TYPES + 100.0);
    }

    @Test
    void depthsThatAnotherProcessReadsAreNoLongerReported() {
        metrics.depths(Map.of("q", new QueueDepth(1, 2, 3, 4, 5, null)), Instant.EPOCH);
        assertThat(registry.find(Metric.DEPTH.id()).gauges()).hasSize(5);
        metrics.depths(Map.of(), Instant.EPOCH);
        assertThat(registry.find(Metric.DEPTH.id()).gauges()).isEmpty();
        assertThat(registry.find(Metric.OLDEST.id()).gauges()).isEmpty();
    }

    @Test
    void aLostLeaseAndARefusedWriteAreCounted() throws InterruptedException {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch stolen = new CountDownLatch(1);
        TaskStore store = new ForwardingTaskStore(new InMemoryTaskStore()) {
            @Override
            public List<Settled> settle(List<? extends Settlement> batch) {
                return batch.stream().map(settlement -> Settled.STALE).toList();
            }
        };
        try (Semel semel = Semel.on(store).metrics(metrics).build()) {
            semel.worker("jobs")
                    .handle(WORK, (context, input) -> {
                        running.countDown();
                        stolen.await();
                        return input;
                    })
                    .start();
            semel.submit(WORK, "a").send();
            running.await();
            stolen.countDown();
            until(() -> assertThat(count(Metric.LEASES_LOST, "jobs", "work")).isEqualTo(1));
            assertThat(count(Metric.REFUSED, "end")).isEqualTo(1);
            assertThat(count(Metric.FINISHED, "jobs", "work", "completed")).isZero();
        }
    }

    @Test
    void oneProcessOfSeveralReadsTheDepthsInAnInterval() {
        InMemoryGuardStore guards = new InMemoryGuardStore();
        AtomicInteger readings = new AtomicInteger();
        AtomicInteger asked = new AtomicInteger();
        Observer counting = new Observer() {
            @Override
            public void depths(Map<String, QueueDepth> depths, Instant now) {
                asked.incrementAndGet();
            }
        };
        TaskStore store = new ForwardingTaskStore(new InMemoryTaskStore()) {
            @Override
            public Map<String, QueueDepth> depths(@Nullable String tenant) {
                readings.incrementAndGet();
                return super.depths(tenant);
            }
        };
        // A fixed clock: all readings are in one interval.
        Semel.Builder builder = Semel.on(store)
                .metrics(counting)
                .clock(() -> Instant.ofEpochSecond(1_000_000))
                .depths(Duration.ofHours(1), Guard.on(guards).build());
        try (Semel first = builder.build();
                Semel second = builder.build();
                Semel third = builder.build()) {
            assertThat(List.of(first, second, third)).doesNotHaveDuplicates();
            until(() -> assertThat(asked).hasValue(3));
            assertThat(readings).hasValue(1);
        }
    }

    @Test
    void anObserverThatThrowsHarmsNoTask() {
        Observer hostile = (Observer) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Observer.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("equals")) {
                        return false;
                    }
                    throw new AssertionError("An observer that always throws");
                });
        try (Semel semel = Semel.on(new InMemoryTaskStore())
                .metrics(hostile)
                .depths(Duration.ofSeconds(1))
                .build()) {
            Worker worker = semel.worker("jobs")
                    .handle(WORK, (context, input) -> {
                        context.effect("note", token -> {});
                        return input;
                    })
                    .start();
            assertThat(semel.submit(WORK, "a").send().result(LONG)).isEqualTo("a");
            worker.close();
        }
    }

    @Test
    void everyEndOfAnAttemptHasACounter() {
        for (Attempt.Outcome outcome : Attempt.Outcome.values()) {
            metrics.settled("q", "t", outcome);
        }
        double sum = registry.getMeters().stream()
                .filter(meter -> meter.getId().getName().startsWith("semel.tasks."))
                .filter(meter -> !meter.getId().getName().equals(Metric.DEAD.id()))
                .filter(Counter.class::isInstance)
                .mapToDouble(meter -> ((Counter) meter).count())
                .sum();
        // No worker reports that it vanished, and a workflow that waits has not ended.
        assertThat(sum).isEqualTo(Attempt.Outcome.values().length - 2.0);
        assertThat(count(Metric.DEAD, "q", "t")).isEqualTo(2);
    }
}
