package dev.semel.examples;

import dev.semel.Semel;
import dev.semel.guard.Guard;
import dev.semel.guard.GuardStore;
import dev.semel.metrics.Metric;
import dev.semel.metrics.MicrometerMetrics;
import dev.semel.sqlite.SqliteGuardStore;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.task.TaskType;
import dev.semel.tracing.OpenTelemetryTracing;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** The program of docs/how-to/monitor.md and docs/how-to/trace.md: metrics for Prometheus, and traces. */
public final class Monitor {

    private static final TaskType<String, String> MAIL = TaskType.builder("send_mail", String.class, String.class)
            .queue("mails")
            .build();

    private Monitor() {}

    static void metrics(Path file, PrintStream out) throws InterruptedException {
        try (Semel semel = Semel.on(SqliteTaskStore.open(file)).build()) {
            semel.submit(MAIL, "grace@example.org").delay(Duration.ofDays(1)).send();
        }
        // snippet: metrics
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (GuardStore store = SqliteGuardStore.open(file);
                Guard turns = Guard.on(store).prefix("depths/").build();
                Semel semel = Semel.on(SqliteTaskStore.open(file))
                        .metrics(new MicrometerMetrics(registry))
                        .depths(Duration.ofSeconds(15), turns)
                        .build()) {
            // end
            work(semel);
            awaitDepths(registry);
            out.print(registry.scrape());
        }
    }

    static void traces(Path file, OpenTelemetry openTelemetry) {
        // snippet: traces
        try (Semel semel = Semel.on(SqliteTaskStore.open(file))
                .tracing(new OpenTelemetryTracing(openTelemetry))
                .build()) {
            // end
            work(semel);
        }
    }

    /** Waits until the depths were read for the first time. */
    private static void awaitDepths(PrometheusMeterRegistry registry) throws InterruptedException {
        CountDownLatch read = new CountDownLatch(1);
        registry.config().onMeterAdded(meter -> {
            if (meter.getId().getName().equals(Metric.DEPTH.id())) {
                read.countDown();
            }
        });
        if (registry.find(Metric.DEPTH.id()).gauges().isEmpty()) {
            read.await();
        }
    }

    private static void work(Semel semel) {
        semel.worker("mails")
                .handle(MAIL, (context, address) -> context.effect("send", String.class, token -> "sent"))
                .start();
        semel.submit(MAIL, "ada@example.org").send().result(Duration.ofSeconds(30));
    }
}
