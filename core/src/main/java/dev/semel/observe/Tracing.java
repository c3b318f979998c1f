package dev.semel.observe;

import dev.semel.task.TaskId;
import dev.semel.task.TraceContext;
import org.jspecify.annotations.Nullable;

/**
 * The traces of one instance, without a dependency on a tracing library. {@code dev.semel.tracing} implements it for
 * OpenTelemetry. An exception that it throws is logged and otherwise ignored.
 */
public interface Tracing {

    /** No traces. */
    Tracing NONE = new Tracing() {
        @Override
        public Span submission(String queue, String type, TaskId id) {
            return Span.NONE;
        }

        @Override
        public Span batch(int submissions) {
            return Span.NONE;
        }

        @Override
        public @Nullable TraceContext created(String queue, String type, TaskId id) {
            return null;
        }

        @Override
        public Span attempt(TracedAttempt attempt) {
            return Span.NONE;
        }

        @Override
        public Span effect(String name) {
            return Span.NONE;
        }

        @Override
        public Span signal(String type, TaskId workflow, String name) {
            return Span.NONE;
        }

        @Override
        public Span current() {
            return Span.NONE;
        }
    };

    /**
     * Begins the span of a submission. Its context is stored with the task.
     *
     * @param queue the queue
     * @param type the name of the task type
     * @param id the id of the task that the submission would create
     * @return the span, a child of the current one
     */
    Span submission(String queue, String type, TaskId id);

    /**
     * Begins the span of a batch of submissions.
     *
     * @param submissions how many there are
     * @return the span, a child of the current one
     */
    Span batch(int submissions);

    /**
     * Records one submission of a batch.
     *
     * @param queue the queue
     * @param type the name of the task type
     * @param id the id of the task that the submission would create
     * @return the context to store with the task, of a span that has ended; null if there is none
     */
    @Nullable
    TraceContext created(String queue, String type, TaskId id);

    /**
     * Begins the span of an attempt, on the handler's thread.
     *
     * @param attempt the attempt
     * @return the span, a child of the span of the submission
     */
    Span attempt(TracedAttempt attempt);

    /**
     * Begins the span of an effect, on the handler's thread.
     *
     * @param name the name of the effect, without its index
     * @return the span, a child of the current one
     */
    Span effect(String name);

    /**
     * Begins the span of a signal to a workflow, on the thread of its sender.
     *
     * @param type the name of the workflow type
     * @param workflow the task of the workflow
     * @param name the name of the signal
     * @return the span, a child of the current one
     */
    Span signal(String type, TaskId workflow, String name);

    /**
     * Returns the current span of this thread, so that links can be added to it.
     *
     * @return the span; ending it does nothing
     */
    Span current();
}
