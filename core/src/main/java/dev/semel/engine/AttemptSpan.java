package dev.semel.engine;

import dev.semel.observe.Span;
import dev.semel.observe.TracedAttempt;
import dev.semel.observe.Tracing;
import dev.semel.store.Settlement;
import dev.semel.store.Task;
import dev.semel.task.TraceContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * The span of one attempt, and what later attempts need to link to it. The first attempt that fails adds the context of its
 * span to its error, as the last line. Later ones read it there, link to it and pass it on. So all attempts link to the
 * first one, whichever processes run them, and nothing else has to be stored. Attempts that vanish leave nothing, but their
 * spans never ended either.
 */
final class AttemptSpan {

    /** The name under which the id of the trace is in the MDC, as other libraries for OpenTelemetry have it. */
    private static final String TRACE_ID = "trace_id";

    private final Span span;
    private final @Nullable TraceContext first;

    private AttemptSpan(Span span, @Nullable TraceContext first) {
        this.span = span;
        this.first = first;
    }

    /** Begins the span on the handler's thread; null without tracing, so that it costs nothing. */
    static @Nullable AttemptSpan begin(Tracing tracing, TaskContext context) {
        if (tracing.equals(Tracing.NONE)) {
            return null;
        }
        Task task = context.task();
        TraceContext first = TraceContext.of(task.progress().lastError()).orElse(null);
        Span span = tracing.attempt(new TracedAttempt(
                task.id(),
                task.queue(),
                task.type(),
                context.attempt(),
                task.options().trace(),
                first));
        String traceId = span.traceId();
        if (traceId != null) {
            MDC.put(TRACE_ID, traceId);
        }
        return new AttemptSpan(span, first);
    }

    /** Ends the span and returns the settlement to send. */
    static @Nullable Settlement end(@Nullable AttemptSpan span, @Nullable Settlement outcome) {
        return span == null ? outcome : span.end(outcome);
    }

    private @Nullable Settlement end(@Nullable Settlement outcome) {
        MDC.remove(TRACE_ID);
        String word =
                outcome instanceof Settlement.Ending ending ? ending.outcome().word() : "completed";
        return switch (outcome) {
            case Settlement.Retry(var lease, var delay, var error) -> {
                Settlement noted = new Settlement.Retry(lease, delay, noted(error));
                span.end(word, error);
                yield noted;
            }
            case Settlement.Fail(var lease, var timedOut, var error) -> {
                Settlement noted = new Settlement.Fail(lease, timedOut, noted(error));
                span.end(word, error);
                yield noted;
            }
            case Settlement.Wait wait -> {
                span.end(word, wait.error());
                yield wait;
            }
            case null, default -> {
                span.end(word, null);
                yield outcome;
            }
        };
    }

    private String noted(String error) {
        TraceContext noted = first != null ? first : span.context();
        return noted == null || !noted.isSampled() ? error : noted.addedTo(error);
    }
}
