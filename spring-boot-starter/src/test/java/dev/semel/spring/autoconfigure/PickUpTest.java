package dev.semel.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import dev.semel.engine.TaskContext;
import dev.semel.metrics.Metric;
import dev.semel.observe.Tracing;
import dev.semel.schedule.Schedule;
import dev.semel.spring.SetUpFailure;
import dev.semel.spring.TypedHandler;
import dev.semel.task.TaskType;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What the starter uses without a word, if the application has it. */
@Timeout(120)
class PickUpTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final TaskType<String, String> WORK = TaskType.of("work", String.class, String.class);

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(SemelAutoConfiguration.class))
            .withPropertyValues("semel.store=memory", "semel.worker.keep-alive=false")
            .withBean(Echo.class);

    private static final class Echo implements TypedHandler<String, String> {

        private final CountDownLatch called = new CountDownLatch(1);

        @Override
        public TaskType<String, String> type() {
            return WORK;
        }

        @Override
        public String handle(TaskContext context, String input) {
            called.countDown();
            return input;
        }
    }

    @Test
    void tracesAreMadeIfTheApplicationHasOpenTelemetry() {
        InMemorySpanExporter spans = InMemorySpanExporter.create();
        OpenTelemetrySdk sdk = OpenTelemetrySdk.builder()
                .setTracerProvider(SdkTracerProvider.builder()
                        .addSpanProcessor(SimpleSpanProcessor.create(spans))
                        .build())
                .build();
        // Not closed with the context: the exporter would forget its spans.
        runner.withBean(OpenTelemetry.class, () -> sdk, definition -> definition.setDestroyMethodName(""))
                .run(context ->
                        context.getBean(Semel.class).submit(WORK, "x").send().result(LONG));
        // The context is closed, so the attempt has ended.
        Map<String, SpanData> byName =
                spans.getFinishedSpanItems().stream().collect(Collectors.toMap(SpanData::getName, span -> span));
        assertThat(byName).containsOnlyKeys("submit default", "process default");
        assertThat(byName.get("process default").getParentSpanId())
                .isEqualTo(byName.get("submit default").getSpanId());
        runner.run(context -> assertThat(context.getBean(Tracing.class)).isEqualTo(Tracing.NONE));
        runner.withClassLoader(new FilteredClassLoader(OpenTelemetry.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Tracing.class));
    }

    @Test
    void depthsAreReadIfAPropertySaysSo() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        CountDownLatch read = new CountDownLatch(1);
        registry.config().onMeterAdded(meter -> {
            if (meter.getId().getName().equals(Metric.OLDEST.id())) {
                read.countDown();
            }
        });
        runner.withBean(SimpleMeterRegistry.class, () -> registry)
                .withPropertyValues("semel.metrics.depths=1s", "semel.worker.enabled=false")
                .run(context -> {
                    context.getBean(Semel.class).submit(WORK, "x").send();
                    assertThat(read.await(60, TimeUnit.SECONDS)).isTrue();
                });
        runner.withPropertyValues("semel.metrics.depths=1ms")
                .run(context ->
                        assertThat(context).getFailure().rootCause().hasMessageContaining("semel.metrics.depths"));
    }

    private static Schedule often() {
        return Schedule.every("often", Duration.ofSeconds(1)).task(WORK, "tick").build();
    }

    @Test
    void schedulesThatAreBeansTick() {
        runner.withBean(Schedule.class, PickUpTest::often).run(context -> {
            assertThat(context.getBean(Echo.class).called.await(60, TimeUnit.SECONDS))
                    .isTrue();
            assertThat(context.getBean(Semel.class).schedules().get("often").declared())
                    .isNotNull();
        });
        runner.withBean("one", Schedule.class, PickUpTest::often)
                .withBean("other", Schedule.class, PickUpTest::often)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(SetUpFailure.class)
                        .hasMessageContaining("\"often\""));
    }
}
