package dev.semel.tracing;

import dev.semel.observe.TracedAttempt;
import dev.semel.observe.Tracing;
import dev.semel.task.TaskId;
import dev.semel.task.TraceContext;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import org.jspecify.annotations.Nullable;

/**
 * Traces with OpenTelemetry. Pass it to {@code Semel.on(store).tracing(…)}. Names and attributes follow the semantic
 * conventions for messaging as far as they fit; docs/how-to/trace.md lists them.
 */
public final class OpenTelemetryTracing implements Tracing {

    private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
    private static final AttributeKey<String> DESTINATION = AttributeKey.stringKey("messaging.destination.name");
    private static final AttributeKey<String> OPERATION_NAME = AttributeKey.stringKey("messaging.operation.name");
    private static final AttributeKey<String> OPERATION_TYPE = AttributeKey.stringKey("messaging.operation.type");
    private static final AttributeKey<String> MESSAGE_ID = AttributeKey.stringKey("messaging.message.id");
    private static final AttributeKey<Long> BATCH_SIZE = AttributeKey.longKey("messaging.batch.message_count");
    private static final AttributeKey<String> TYPE = AttributeKey.stringKey("semel.task.type");
    private static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("semel.task.attempt");
    private static final AttributeKey<String> EFFECT = AttributeKey.stringKey("semel.effect.name");
    private static final AttributeKey<String> SIGNAL = AttributeKey.stringKey("semel.signal.name");
    private static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("semel.outcome");
    private static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");

    // A status is read in a list: one line of the error is enough there.
    private static final int STATUS_LENGTH = 200;

    private final Tracer tracer;
    private final SpanNames submitNames = new SpanNames("submit ");
    private final SpanNames createNames = new SpanNames("create ");
    private final SpanNames processNames = new SpanNames("process ");

    /**
     * Creates the traces of an instance.
     *
     * @param openTelemetry the OpenTelemetry of the program
     */
    public OpenTelemetryTracing(OpenTelemetry openTelemetry) {
        this.tracer = openTelemetry.getTracer("dev.semel");
    }

    private SpanBuilder span(String name, SpanKind kind) {
        return tracer.spanBuilder(name).setSpanKind(kind);
    }

    private static Span described(Span span, String operation, String operationType) {
        return span.setAttribute(SYSTEM, "semel")
                .setAttribute(OPERATION_NAME, operation)
                .setAttribute(OPERATION_TYPE, operationType);
    }

    // After the start, and only if somebody records them: most spans of a busy program are not sampled.
    private static void described(
            Span span, String operation, String operationType, String queue, String type, TaskId id) {
        if (span.isRecording()) {
            described(span, operation, operationType)
                    .setAttribute(DESTINATION, queue)
                    .setAttribute(TYPE, type)
                    .setAttribute(MESSAGE_ID, id.toString());
        }
    }

    @Override
    public dev.semel.observe.Span submission(String queue, String type, TaskId id) {
        Span span = span(submitNames.of(queue), SpanKind.PRODUCER).startSpan();
        described(span, "submit", "send", queue, type, id);
        return new Current(span);
    }

    @Override
    public dev.semel.observe.Span batch(int submissions) {
        Span span = span("submit", SpanKind.CLIENT).startSpan();
        return new Current(described(span, "submit", "send").setAttribute(BATCH_SIZE, (long) submissions));
    }

    @Override
    public @Nullable TraceContext created(String queue, String type, TaskId id) {
        Span span = span(createNames.of(queue), SpanKind.PRODUCER).startSpan();
        described(span, "create", "create", queue, type, id);
        span.end();
        return context(span.getSpanContext());
    }

    @Override
    public dev.semel.observe.Span attempt(TracedAttempt attempt) {
        SpanBuilder builder = span(processNames.of(attempt.queue()), SpanKind.CONSUMER);
        TraceContext submitted = attempt.submitted();
        // Not the current context: the thread is one of Semel's, and what it did before has no meaning for this task.
        builder.setParent(
                submitted == null ? Context.root() : Context.root().with(Span.wrap(new StoredSpanContext(submitted))));
        if (attempt.first() != null) {
            builder.addLink(new StoredSpanContext(attempt.first()));
        }
        boolean isSampled = submitted != null && submitted.isSampled();
        if (isSampled) {
            // Most samplers follow the submission's, and before the start the attributes need no lock.
            builder.setAttribute(SYSTEM, "semel")
                    .setAttribute(OPERATION_NAME, "process")
                    .setAttribute(OPERATION_TYPE, "process")
                    .setAttribute(DESTINATION, attempt.queue())
                    .setAttribute(TYPE, attempt.type())
                    .setAttribute(MESSAGE_ID, attempt.id().toString())
                    .setAttribute(ATTEMPT, (long) attempt.attempt());
        }
        Span span = builder.startSpan();
        if (!isSampled && span.isRecording()) {
            described(span, "process", "process", attempt.queue(), attempt.type(), attempt.id());
            span.setAttribute(ATTEMPT, (long) attempt.attempt());
        }
        return new Current(span, Context.root());
    }

    @Override
    public dev.semel.observe.Span effect(String name) {
        return new Current(tracer.spanBuilder("effect " + name).startSpan().setAttribute(EFFECT, name));
    }

    @Override
    public dev.semel.observe.Span signal(String type, TaskId workflow, String name) {
        Span span = span("signal " + name, SpanKind.PRODUCER).startSpan();
        if (span.isRecording()) {
            described(span, "signal", "send")
                    .setAttribute(TYPE, type)
                    .setAttribute(MESSAGE_ID, workflow.toString())
                    .setAttribute(SIGNAL, name);
        }
        return new Current(span);
    }

    @Override
    public dev.semel.observe.Span current() {
        return new Borrowed(Span.current());
    }

    private static @Nullable TraceContext context(SpanContext context) {
        if (!context.isValid()) {
            return null;
        }
        String parent = "00-" + context.getTraceId() + "-" + context.getSpanId() + "-"
                + context.getTraceFlags().asHex();
        TraceState state = context.getTraceState();
        return state.isEmpty()
                ? new TraceContext(parent, null)
                : TraceContext.read(parent, text(state)).orElse(null);
    }

    private static String text(TraceState state) {
        StringBuilder text = new StringBuilder();
        state.forEach((key, value) ->
                text.append(text.isEmpty() ? "" : ",").append(key).append('=').append(value));
        return text.toString();
    }

    /** A span that somebody else ends. */
    private static class Borrowed implements dev.semel.observe.Span {

        final Span span;

        Borrowed(Span span) {
            this.span = span;
        }

        @Override
        public @Nullable TraceContext context() {
            return OpenTelemetryTracing.context(span.getSpanContext());
        }

        @Override
        public @Nullable String traceId() {
            SpanContext context = span.getSpanContext();
            return context.isValid() ? context.getTraceId() : null;
        }

        @Override
        public boolean isRecorded() {
            return span.isRecording();
        }

        @Override
        public void link(TraceContext other) {
            span.addLink(new StoredSpanContext(other));
        }

        @Override
        public void end(String outcome, @Nullable String error) {}
    }

    /** A span that is the current one of the thread that began it. */
    private static final class Current extends Borrowed {

        private final Scope scope;

        Current(Span span) {
            this(span, Context.current());
        }

        @SuppressWarnings("MustBeClosedChecker") // closed by end, on the same thread
        Current(Span span, Context in) {
            super(span);
            this.scope = in.with(span).makeCurrent();
        }

        @Override
        public void end(String outcome, @Nullable String error) {
            try {
                if (span.isRecording()) {
                    span.setAttribute(OUTCOME, outcome);
                }
                if (error != null) {
                    span.setAttribute(ERROR_TYPE, outcome);
                    span.setStatus(StatusCode.ERROR, line(error));
                }
            } finally {
                scope.close();
                span.end();
            }
        }

        private static String line(String error) {
            int end = error.indexOf('\n');
            String first = end < 0 ? error : error.substring(0, end);
            return first.length() <= STATUS_LENGTH ? first : first.substring(0, STATUS_LENGTH) + "…";
        }
    }
}
