package dev.semel.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.semel.Semel;
import dev.semel.Submission;
import dev.semel.observe.Span;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.TaskStore;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskType;
import dev.semel.task.TraceContext;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Spans of real instances on a store in memory, from an exporter in memory. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OpenTelemetryTracingTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    private static final TaskType<String, String> ORDER = TaskType.builder("order", String.class, String.class)
            .queue("orders")
            .build();
    private static final TaskType<String, String> CHARGE = TaskType.builder("charge", String.class, String.class)
            .queue("payments")
            .retry(RetryPolicy.delays(Duration.ofMillis(1), Duration.ofMillis(1)))
            .build();

    private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
    private final SdkTracerProvider provider = SdkTracerProvider.builder()
            .addSpanProcessor(SimpleSpanProcessor.create(exporter))
            .build();
    private final OpenTelemetrySdk sdk =
            OpenTelemetrySdk.builder().setTracerProvider(provider).build();
    private final TaskStore store = new InMemoryTaskStore();
    private final Semel semel =
            Semel.on(store).tracing(new OpenTelemetryTracing(sdk)).build();

    @AfterEach
    void close() {
        semel.close();
        sdk.close();
    }

    private List<SpanData> awaitSpans(int count) {
        await().atMost(LONG)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> exporter.getFinishedSpanItems().size() >= count);
        assertThat(exporter.getFinishedSpanItems()).hasSize(count);
        return exporter.getFinishedSpanItems();
    }

    private static List<SpanData> named(List<SpanData> spans, String name) {
        return spans.stream().filter(span -> span.getName().equals(name)).toList();
    }

    private static String attribute(SpanData span, String key) {
        return String.valueOf(span.getAttributes().asMap().entrySet().stream()
                .filter(entry -> entry.getKey().getKey().equals(key))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(null));
    }

    private static List<String> links(SpanData span) {
        return span.getLinks().stream()
                .map(LinkData::getSpanContext)
                .map(context -> context.getSpanId())
                .toList();
    }

    @Test
    void aWorkflowWithARetryAndADuplicateIsOneTree() {
        semel.worker("orders")
                .handle(ORDER, (context, order) -> {
                    Submission<String> charge =
                            semel.submit(CHARGE, order).idempotencyKey(order).send();
                    // The same again: a duplicate.
                    semel.submit(CHARGE, order).idempotencyKey(order).send();
                    return charge.result(LONG);
                })
                .start();
        semel.worker("payments")
                .handle(CHARGE, (context, order) -> {
                    String receipt = context.effect("bank", String.class, token -> "receipt");
                    if (context.attempt() < 3) {
                        throw new IllegalStateException("The bank is closed");
                    }
                    return receipt;
                })
                .start();

        io.opentelemetry.api.trace.Span request =
                sdk.getTracer("test").spanBuilder("POST /orders").startSpan();
        TaskId order;
        try (Scope scope = request.makeCurrent()) {
            assertThat(scope).isNotNull();
            Submission<String> submission = semel.submit(ORDER, "o-1").send();
            order = submission.taskId();
            assertThat(submission.result(LONG)).isEqualTo("receipt");
        }
        request.end();

        // The request, its submission and its attempt; two submissions, three attempts, three effects.
        List<SpanData> spans = awaitSpans(11);
        assertThat(spans)
                .as("one trace")
                .extracting(SpanData::getTraceId)
                .containsOnly(request.getSpanContext().getTraceId());

        SpanData submit = named(spans, "submit orders").getFirst();
        SpanData process = named(spans, "process orders").getFirst();
        assertThat(submit.getParentSpanId()).isEqualTo(request.getSpanContext().getSpanId());
        assertThat(submit.getKind()).isEqualTo(SpanKind.PRODUCER);
        assertThat(process.getParentSpanId()).isEqualTo(submit.getSpanId());
        assertThat(process.getKind()).isEqualTo(SpanKind.CONSUMER);
        assertThat(attribute(process, "messaging.message.id")).isEqualTo(order.toString());
        assertThat(attribute(process, "messaging.destination.name")).isEqualTo("orders");
        assertThat(attribute(process, "semel.task.type")).isEqualTo("order");
        assertThat(attribute(process, "semel.outcome")).isEqualTo("completed");

        List<SpanData> nested = named(spans, "submit payments");
        assertThat(nested).extracting(SpanData::getParentSpanId).containsOnly(process.getSpanId());
        SpanData original = nested.getFirst();
        SpanData duplicate = nested.getLast();
        assertThat(attribute(original, "semel.outcome")).isEqualTo("new");
        assertThat(attribute(duplicate, "semel.outcome")).isEqualTo("duplicate");
        assertThat(links(original)).isEmpty();
        assertThat(links(duplicate)).containsExactly(original.getSpanId());

        List<SpanData> attempts = named(spans, "process payments");
        assertThat(attempts).extracting(SpanData::getParentSpanId).containsOnly(original.getSpanId());
        assertThat(attempts)
                .extracting(span -> attribute(span, "semel.outcome"))
                .containsExactly("retried", "retried", "completed");
        assertThat(attempts)
                .extracting(span -> span.getStatus().getStatusCode())
                .containsExactly(StatusCode.ERROR, StatusCode.ERROR, StatusCode.UNSET);
        assertThat(attempts.getFirst().getStatus().getDescription()).contains("The bank is closed");
        String first = attempts.getFirst().getSpanId();
        assertThat(attempts)
                .extracting(OpenTelemetryTracingTest::links)
                .containsExactly(List.of(), List.of(first), List.of(first));
        assertThat(attempts)
                .extracting(span -> span.getAttributes().get(AttributeKey.longKey("semel.task.attempt")))
                .containsExactly(1L, 2L, 3L);

        List<SpanData> effects = named(spans, "effect bank");
        assertThat(effects)
                .extracting(SpanData::getParentSpanId)
                .containsExactlyElementsOf(
                        attempts.stream().map(SpanData::getSpanId).toList());
        assertThat(effects)
                .extracting(span -> attribute(span, "semel.outcome"))
                .containsExactly("done", "recorded", "recorded");
    }

    @Test
    void aBatchLinksToItsSubmissions() {
        semel.worker("orders").handle(ORDER, (context, order) -> order).start();
        List<Submission<String>> submissions =
                semel.submitAll(List.of(semel.submit(ORDER, "a"), semel.submit(ORDER, "b"))).stream()
                        .map(outcome -> outcome.submission())
                        .toList();
        submissions.forEach(submission -> submission.result(LONG));
        List<SpanData> spans = awaitSpans(5);
        List<SpanData> created = named(spans, "create orders");
        SpanData batch = named(spans, "submit").getFirst();
        assertThat(links(batch))
                .containsExactlyElementsOf(
                        created.stream().map(SpanData::getSpanId).toList());
        assertThat(attribute(batch, "messaging.batch.message_count")).isEqualTo("2");
        assertThat(named(spans, "process orders"))
                .extracting(SpanData::getParentSpanId)
                .containsExactlyInAnyOrderElementsOf(
                        created.stream().map(SpanData::getSpanId).toList());
    }

    @Test
    void theContextIsStoredWithTheTaskAndNotInItsInput() {
        Submission<String> submission = semel.submit(ORDER, "a").send();
        TraceContext stored = store.find(List.of(submission.taskId()))
                .get(submission.taskId())
                .options()
                .trace();
        SpanData submit = awaitSpans(1).getFirst();
        assertThat(stored).isNotNull();
        assertThat(stored.traceId()).isEqualTo(submit.getTraceId());
        assertThat(stored.spanId()).isEqualTo(submit.getSpanId());
        assertThat(stored.isSampled()).isTrue();
    }

    @Test
    void aVendorsStateTravelsToo() {
        TraceContext before = new TraceContext("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "a=1,b=2");
        OpenTelemetryTracing tracing = new OpenTelemetryTracing(sdk);
        Span span = tracing.attempt(new dev.semel.observe.TracedAttempt(
                TaskId.parse("0190a7c0-0000-7000-8000-000000000000"), "q", "t", 1, before, null));
        TraceContext after = span.context();
        span.end("completed", null);
        assertThat(after).isNotNull();
        assertThat(after.state()).isEqualTo("a=1,b=2");
        assertThat(after.traceId()).isEqualTo(before.traceId());
    }

    @Test
    void aFailedAttemptsErrorEndsWithItsTrace() {
        TaskType<String, String> once = TaskType.builder("once", String.class, String.class)
                .queue("once")
                .retry(RetryPolicy.attempts(1))
                .build();
        semel.worker("once")
                .handle(once, (context, input) -> {
                    throw new IllegalStateException("x".repeat(20_000));
                })
                .start();
        TaskId id = semel.submit(once, "a").send().taskId();
        SpanData attempt = named(awaitSpans(2), "process once").getFirst();
        await().atMost(LONG)
                .until(() -> !store.find(List.of(id)).get(id).state().isOpen());
        String error = store.find(List.of(id)).get(id).progress().lastError();
        assertThat(error)
                .hasSize(8_000)
                .endsWith("\ntrace: 00-" + attempt.getTraceId() + "-" + attempt.getSpanId() + "-"
                        + attempt.getSpanContext().getTraceFlags().asHex());
    }
}
