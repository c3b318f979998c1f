package dev.semel.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import dev.semel.engine.Worker;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import dev.semel.workflow.Flow;
import dev.semel.workflow.WorkflowType;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The spans of workflows: turns, steps, local steps and signals. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WorkflowTracesTest {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("semel.outcome");

    private static final WorkflowType<String, String> ORDER =
            WorkflowType.of(TaskType.builder("order", String.class, String.class)
                    .queue("orders")
                    .build());
    private static final TaskType<String, String> CHARGE = TaskType.builder("charge", String.class, String.class)
            .queue("payments")
            .retry(RetryPolicy.delays(Duration.ofMillis(1)))
            .build();
    private static final TaskType<String, String> PACK = TaskType.builder("pack", String.class, String.class)
            .queue("packing")
            .build();

    private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
    private final SdkTracerProvider provider = SdkTracerProvider.builder()
            .addSpanProcessor(SimpleSpanProcessor.create(exporter))
            .build();
    private final OpenTelemetrySdk sdk =
            OpenTelemetrySdk.builder().setTracerProvider(provider).build();
    private final Semel semel = Semel.on(new InMemoryTaskStore())
            .tracing(new OpenTelemetryTracing(sdk))
            .build();

    @AfterEach
    void close() {
        semel.close();
        sdk.close();
    }

    private List<SpanData> named(String name) {
        return exporter.getFinishedSpanItems().stream()
                .filter(span -> span.getName().equals(name))
                .toList();
    }

    private void awaitSpans(String name, int count) {
        Awaitility.await()
                .atMost(LONG)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> named(name).size() >= count);
    }

    private static List<String> links(SpanData span) {
        return span.getLinks().stream()
                .map(link -> link.getSpanContext().getSpanId())
                .toList();
    }

    private Worker handlers() {
        semel.worker("payments")
                .handle(CHARGE, (context, order) -> {
                    if (context.attempt() == 1) {
                        throw new IllegalStateException("The bank is closed");
                    }
                    return "paid " + order;
                })
                .start();
        return semel.worker("packing")
                .handle(PACK, (context, order) -> "packed " + order)
                .start();
    }

    @Test
    void aWorkflowWithARetryADuplicateALocalStepAndASignalIsOneTree() {
        handlers();
        semel.worker("orders")
                .workflow(ORDER, (flow, order) -> {
                    String paid = flow.run(CHARGE, order, options -> options.idempotencyKey("pay-" + order));
                    String mailed = flow.local("mail", String.class, token -> "mailed");
                    String packed = flow.run(PACK, order);
                    // The same key again: the step is the task of the first one.
                    String again = flow.run(CHARGE, order, options -> options.idempotencyKey("pay-" + order));
                    String approved = flow.signal("approved", String.class);
                    return String.join(", ", paid, mailed, packed, again, approved);
                })
                .start();

        io.opentelemetry.api.trace.Span request =
                sdk.getTracer("test").spanBuilder("POST /orders").startSpan();
        TaskId workflow;
        try (Scope scope = request.makeCurrent()) {
            assertThat(scope).isNotNull();
            workflow = semel.start(ORDER, "o-1", "7").taskId();
        }
        request.end();
        awaitSpans("create payments", 2);
        awaitSpans("process packing", 1);
        semel.workflows().signal(ORDER, "o-1", "approved", "yes");
        assertThat(semel.workflows().handle(ORDER, "o-1").result(LONG))
                .isEqualTo("paid 7, mailed, packed 7, paid 7, yes");
        Awaitility.await()
                .atMost(LONG)
                .until(() -> named("process orders").stream()
                        .anyMatch(
                                turn -> "completed".equals(turn.getAttributes().get(OUTCOME))));

        SpanData start = named("submit orders").getFirst();
        assertThat(start.getParentSpanId()).isEqualTo(request.getSpanContext().getSpanId());

        // Each turn is a child of the start: a workflow that waits for a month has no span that is open for a month.
        List<SpanData> turns = named("process orders");
        assertThat(turns).allSatisfy(turn -> {
            assertThat(turn.getParentSpanId()).isEqualTo(start.getSpanId());
            assertThat(turn.getTraceId()).isEqualTo(request.getSpanContext().getTraceId());
        });
        assertThat(turns.getLast().getAttributes().get(OUTCOME)).isEqualTo("completed");
        assertThat(turns.subList(0, turns.size() - 1))
                .extracting(turn -> turn.getAttributes().get(OUTCOME))
                .containsOnly("waited");
        List<String> turnIds = turns.stream().map(SpanData::getSpanId).toList();

        // A step's span is made by the turn that starts it, and by no later one.
        List<SpanData> charges = named("create payments");
        assertThat(charges).hasSize(2);
        assertThat(charges.getFirst().getParentSpanId()).isEqualTo(turnIds.getFirst());
        assertThat(charges.getFirst().getKind()).isEqualTo(SpanKind.PRODUCER);
        assertThat(named("create packing"))
                .singleElement()
                .satisfies(pack -> assertThat(pack.getParentSpanId()).isIn(turnIds));

        // Its attempts are its children; the retry links to the first.
        List<SpanData> attempts = named("process payments");
        assertThat(attempts)
                .extracting(SpanData::getParentSpanId)
                .containsOnly(charges.getFirst().getSpanId());
        assertThat(attempts)
                .extracting(WorkflowTracesTest::links)
                .containsExactly(List.of(), List.of(attempts.getFirst().getSpanId()));

        // The second step with the key ran nothing: the turn that asked for it links to the first one's submission.
        SpanData sharing = turns.stream()
                .filter(turn -> turn.getSpanId().equals(charges.getLast().getParentSpanId()))
                .findFirst()
                .orElseThrow();
        assertThat(links(sharing)).containsExactly(charges.getFirst().getSpanId());
        assertThat(turns)
                .filteredOn(turn -> !turn.equals(sharing))
                .allSatisfy(turn -> assertThat(links(turn)).isEmpty());

        // A local step has one span, although the code came past it in every later turn.
        assertThat(named("effect mail"))
                .singleElement()
                .satisfies(mail -> assertThat(mail.getParentSpanId()).isIn(turnIds));

        SpanData signal = named("signal approved").getFirst();
        assertThat(links(signal)).containsExactly(start.getSpanId());
        assertThat(signal.getTraceId()).isNotEqualTo(start.getTraceId());
        assertThat(signal.getAttributes().get(AttributeKey.stringKey("messaging.message.id")))
                .isEqualTo(workflow.toString());
        assertThat(signal.getAttributes().get(OUTCOME)).isEqualTo("accepted");
    }

    @Test
    void aWorkflowThatIsReplayedByAnotherWorkerMakesNoSpanTwice() {
        handlers();
        CountDownLatch local = new CountDownLatch(1);
        try (Worker first = semel.worker("orders")
                .workflow(ORDER, (flow, order) -> code(flow, order, local))
                .start()) {
            semel.start(ORDER, "o-2", "8");
            // It waits for the signal now.
            Awaitility.await()
                    .atMost(LONG)
                    .until(() -> local.getCount() == 0
                            && semel.workflows().handle(ORDER, "o-2").state() == TaskState.WAITING);
        }
        semel.worker("orders")
                .workflow(ORDER, (flow, order) -> code(flow, order, local))
                .start();
        semel.workflows().signal(ORDER, "o-2", "approved", "yes");
        assertThat(semel.workflows().handle(ORDER, "o-2").result(LONG)).isEqualTo("packed 8yes");
        awaitSpans("signal approved", 1);
        assertThat(named("create packing")).hasSize(1);
        assertThat(named("effect mail")).hasSize(1);
    }

    private static String code(Flow flow, String order, CountDownLatch local) {
        String packed = flow.run(PACK, order);
        flow.local("mail", String.class, token -> "mailed");
        local.countDown();
        return packed + flow.signal("approved", String.class);
    }
}
