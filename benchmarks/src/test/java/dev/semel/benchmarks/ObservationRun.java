package dev.semel.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.OperatingSystemMXBean;
import dev.semel.Semel;
import dev.semel.SubmissionRequest;
import dev.semel.engine.Worker;
import dev.semel.metrics.MicrometerMetrics;
import dev.semel.testservers.PostgresCluster;
import dev.semel.tracing.OpenTelemetryTracing;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Measures what metrics and traces cost: the time to drain a queue with and without them, in alternating pairs, each on a new
 * store. Not part of the build, by its name: {@code benchmarks/observation} runs it.
 */
class ObservationRun {

    private static final int BATCH = 1_000;

    /** What is switched on. */
    enum Variant {
        METRICS(true, 0),
        TRACES_TENTH(true, 0.1),
        TRACES_ALL(true, 1);

        private final boolean metrics;
        private final double sampled;

        Variant(boolean metrics, double sampled) {
            this.metrics = metrics;
            this.sampled = sampled;
        }
    }

    /** An exporter that discards the spans, as if a collector took them at once. */
    private static final class Discarding implements SpanExporter {

        @Override
        public CompletableResultCode export(Collection<SpanData> spans) {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode shutdown() {
            return CompletableResultCode.ofSuccess();
        }
    }

    @TempDir
    @Nullable
    Path directory;

    @Test
    void measure() throws Exception {
        int pairs = Integer.getInteger("observation.pairs", 15);
        int tasks = Integer.getInteger("observation.tasks", 100_000);
        if (System.getProperty("observation.store", "sqlite").equals("postgresql")) {
            try (PostgresCluster cluster = PostgresCluster.newest("shared_buffers=256MB")) {
                PGSimpleDataSource database = cluster.database();
                String url = "postgresql://%s@localhost:%d/%s"
                        .formatted(database.getUser(), database.getPortNumbers()[0], database.getDatabaseName());
                compare(new PostgresUnderTest(url), pairs, tasks);
            }
        } else {
            compare(SqliteUnderTest.beside(SqliteUnderTest.PREFIX + directory), pairs, tasks);
        }
    }

    private static void compare(StoreUnderTest storage, int pairs, int tasks) throws Exception {
        for (Variant variant : Variant.values()) {
            assertThat(drain(storage, tasks / 4, variant).perSecond()).isPositive();
        }
        Map<Variant, List<Double>> ratios = new TreeMap<>();
        Map<Variant, List<Double>> processor = new TreeMap<>();
        for (int pair = 0; pair < pairs; pair++) {
            for (Variant variant : Variant.values()) {
                boolean plainFirst = pair % 2 == 0;
                Drained first = drain(storage, tasks, plainFirst ? null : variant);
                Drained second = drain(storage, tasks, plainFirst ? variant : null);
                Drained with = plainFirst ? second : first;
                Drained without = plainFirst ? first : second;
                ratios.computeIfAbsent(variant, none -> new ArrayList<>()).add(with.perSecond / without.perSecond);
                processor.computeIfAbsent(variant, none -> new ArrayList<>()).add(without.micros / with.micros);
                System.out.printf(
                        Locale.ROOT,
                        "pair %d %s: %,.0f with, %,.0f without, tasks/s; %.1f with, %.1f without, µs of processor%n",
                        pair + 1,
                        variant,
                        with.perSecond,
                        without.perSecond,
                        with.micros,
                        without.micros);
            }
        }
        print("speed", ratios);
        print("processor time, without to with", processor);
    }

    private static void print(String what, Map<Variant, List<Double>> ratios) {
        ratios.forEach((variant, all) -> {
            all.sort(null);
            int out = Comparison.leftOut(all.size());
            System.out.printf(
                    Locale.ROOT,
                    "%s, %s: median %.3f, interval %.3f to %.3f%n",
                    variant,
                    what,
                    Series.median(all),
                    all.get(out),
                    all.get(all.size() - 1 - out));
        });
    }

    /** The speed of a drain, and the processor time of one task, which depends less on what else the machine does. */
    private record Drained(double perSecond, double micros) {}

    private static long processorNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    private static Drained drain(StoreUnderTest storage, int tasks, @Nullable Variant variant) throws Exception {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (StoreUnderTest.Place place = storage.fresh();
                OpenTelemetrySdk sdk = OpenTelemetrySdk.builder()
                        .setTracerProvider(SdkTracerProvider.builder()
                                .setSampler(Sampler.parentBased(
                                        Sampler.traceIdRatioBased(variant == null ? 0 : variant.sampled)))
                                .addSpanProcessor(BatchSpanProcessor.builder(new Discarding())
                                        .build())
                                .build())
                        .build()) {
            Semel.Builder builder = Semel.on(place.open());
            if (variant != null && variant.metrics) {
                builder.metrics(new MicrometerMetrics(registry));
            }
            if (variant != null && variant.sampled > 0) {
                builder.tracing(new OpenTelemetryTracing(sdk));
            }
            try (Semel semel = builder.build()) {
                submit(semel, tasks);
                CountDownLatch left = new CountDownLatch(tasks);
                long used = processorNanos();
                long began = System.nanoTime();
                Worker worker = semel.worker(Work.QUEUE)
                        .handle(Work.TYPE, (context, work) -> {
                            left.countDown();
                            return null;
                        })
                        .start();
                left.await();
                worker.close();
                double seconds = (System.nanoTime() - began) / 1e9;
                return new Drained(tasks / seconds, (processorNanos() - used) / 1e3 / tasks);
            }
        }
    }

    private static void submit(Semel semel, int tasks) {
        for (int from = 0; from < tasks; from += BATCH) {
            List<SubmissionRequest<Work, @Nullable Void>> requests = new ArrayList<>(BATCH);
            for (int i = from; i < Math.min(tasks, from + BATCH); i++) {
                requests.add(semel.submit(Work.TYPE, Work.of(i, Work.USUAL_SIZE)));
            }
            assertThat(semel.submitAll(requests)).hasSize(requests.size());
        }
    }
}
