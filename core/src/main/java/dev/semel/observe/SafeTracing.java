package dev.semel.observe;

import dev.semel.task.SafeLogger;
import dev.semel.task.TaskId;
import dev.semel.task.TraceContext;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Traces that log what other traces throw: a failing tracer must not fail a submission or an attempt. */
final class SafeTracing implements Tracing {

    private static final SafeLogger LOG = SafeLogger.of(SafeTracing.class);

    private final Tracing tracing;

    private SafeTracing(Tracing tracing) {
        this.tracing = tracing;
    }

    static Tracing of(Tracing tracing) {
        return tracing.equals(NONE) || tracing instanceof SafeTracing ? tracing : new SafeTracing(tracing);
    }

    private static void failed(Throwable thrown) {
        LOG.warn("Tracing failed, the span is not complete", thrown);
    }

    private static Span safely(Supplier<Span> begin) {
        try {
            return new SafeSpan(Objects.requireNonNull(begin.get()));
        } catch (Throwable e) {
            failed(e);
            return Span.NONE;
        }
    }

    @Override
    public Span submission(String queue, String type, TaskId id) {
        return safely(() -> tracing.submission(queue, type, id));
    }

    @Override
    public Span batch(int submissions) {
        return safely(() -> tracing.batch(submissions));
    }

    @Override
    public @Nullable TraceContext created(String queue, String type, TaskId id) {
        try {
            return tracing.created(queue, type, id);
        } catch (Throwable e) {
            failed(e);
            return null;
        }
    }

    @Override
    public Span attempt(TracedAttempt attempt) {
        // Without a function: it runs for every attempt.
        try {
            return new SafeSpan(Objects.requireNonNull(tracing.attempt(attempt)));
        } catch (Throwable e) {
            failed(e);
            return Span.NONE;
        }
    }

    @Override
    public Span effect(String name) {
        return safely(() -> tracing.effect(name));
    }

    @Override
    public Span signal(String type, TaskId workflow, String name) {
        return safely(() -> tracing.signal(type, workflow, name));
    }

    @Override
    public Span current() {
        return safely(tracing::current);
    }

    private record SafeSpan(Span span) implements Span {

        @Override
        public @Nullable TraceContext context() {
            try {
                return span.context();
            } catch (Throwable e) {
                failed(e);
                return null;
            }
        }

        @Override
        public @Nullable String traceId() {
            try {
                return span.traceId();
            } catch (Throwable e) {
                failed(e);
                return null;
            }
        }

        @Override
        public boolean isRecorded() {
            try {
                return span.isRecorded();
            } catch (Throwable e) {
                failed(e);
                return false;
            }
        }

        @Override
        public void link(TraceContext other) {
            try {
                span.link(other);
            } catch (Throwable e) {
                failed(e);
            }
        }

        @Override
        public void end(String outcome, @Nullable String error) {
            try {
                span.end(outcome, error);
            } catch (Throwable e) {
                failed(e);
            }
        }
    }
}
