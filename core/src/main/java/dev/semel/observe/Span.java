package dev.semel.observe;

import dev.semel.task.TraceContext;
import org.jspecify.annotations.Nullable;

/**
 * A running span. It begins on the thread that asks for it, is the current span of that thread, and is ended on the same
 * thread.
 */
public interface Span {

    /** A span that nobody records. */
    Span NONE = new Span() {
        @Override
        public @Nullable TraceContext context() {
            return null;
        }

        @Override
        public @Nullable String traceId() {
            return null;
        }

        @Override
        public boolean isRecorded() {
            return false;
        }

        @Override
        public void link(TraceContext other) {}

        @Override
        public void end(String outcome, @Nullable String error) {}
    };

    /**
     * Returns the context of this span.
     *
     * @return the context, to be passed on; null if there is none
     */
    @Nullable
    TraceContext context();

    /**
     * Returns the id of the trace, which costs less than the whole context.
     *
     * @return 32 hexadecimal digits; null if there is none
     */
    @Nullable
    String traceId();

    /**
     * Returns whether this span is recorded.
     *
     * @return false if links and outcomes are of no use
     */
    boolean isRecorded();

    /**
     * Links this span to another one.
     *
     * @param other the context of the other span
     */
    void link(TraceContext other);

    /**
     * Ends this span.
     *
     * @param outcome a word for how it ended
     * @param error a description if it failed, otherwise null
     */
    void end(String outcome, @Nullable String error);
}
