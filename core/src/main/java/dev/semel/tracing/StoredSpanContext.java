package dev.semel.tracing;

import dev.semel.task.TraceContext;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.TraceStateBuilder;
import org.jspecify.annotations.Nullable;

/**
 * The context of a span that was stored with a task. {@link TraceContext} has validated it when it was read; OpenTelemetry would
 * check its 48 digits again for every attempt.
 */
final class StoredSpanContext implements SpanContext {

    private final TraceContext context;
    private final String traceId;

    StoredSpanContext(TraceContext context) {
        this.context = context;
        this.traceId = context.traceId();
    }

    @Override
    public String getTraceId() {
        return traceId;
    }

    @Override
    public String getSpanId() {
        return context.spanId();
    }

    @Override
    public TraceFlags getTraceFlags() {
        return TraceFlags.fromHex(context.parent(), TraceContext.PARENT_LENGTH - 2);
    }

    @Override
    public TraceState getTraceState() {
        return state(context.state());
    }

    @Override
    public boolean isValid() {
        return true;
    }

    @Override
    public boolean isRemote() {
        return true;
    }

    private static TraceState state(@Nullable String text) {
        if (text == null) {
            return TraceState.getDefault();
        }
        TraceStateBuilder builder = TraceState.builder();
        // From the last to the first, because each one is put in front of the others.
        String[] members = text.split(",", -1);
        for (int i = members.length - 1; i >= 0; i--) {
            int at = members[i].indexOf('=');
            if (at > 0) {
                builder.put(
                        members[i].substring(0, at).strip(),
                        members[i].substring(at + 1).strip());
            }
        }
        return builder.build();
    }

    /** {@return the stored context} */
    @Override
    public String toString() {
        return context.toString();
    }
}
