package dev.semel;

import dev.semel.observe.Span;
import dev.semel.observe.Tracing;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.IdempotencyConflict;
import dev.semel.task.SafeLogger;
import dev.semel.task.SemelException;
import dev.semel.task.TaskAlreadyCompleted;
import dev.semel.task.TaskAlreadyExists;
import dev.semel.task.TaskAlreadyFinished;
import dev.semel.task.TaskId;
import dev.semel.task.TraceContext;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The spans of submissions. A duplicate's span links to the span of the submission that created the task. */
final class SubmissionTracer {

    private static final SafeLogger LOG = SafeLogger.of(SubmissionTracer.class);

    // Each link costs a look at the store, for a batch one for all.
    private static final int MOST_LINKS = 32;

    private final Tracing tracing;
    private final TaskStore store;

    SubmissionTracer(Tracing tracing, TaskStore store) {
        this.tracing = tracing;
        this.store = store;
    }

    Span begin(SubmissionRequest<?, ?> request) {
        return tracing.equals(Tracing.NONE)
                ? Span.NONE
                : tracing.submission(request.queueName(), request.type().name(), request.taskId());
    }

    Span beginBatch(int submissions) {
        return tracing.batch(Math.min(submissions, Sender.MAX_BATCH));
    }

    /** Returns the context for one submission of a batch, and links the batch to it. */
    @Nullable
    TraceContext created(Span batch, SubmissionRequest<?, ?> request) {
        if (tracing.equals(Tracing.NONE)) {
            return null;
        }
        TraceContext created =
                tracing.created(request.queueName(), request.type().name(), request.taskId());
        if (created != null) {
            batch.link(created);
        }
        return created;
    }

    /** Returns the context for a step of a workflow. Steps are sent together, so each has a span that ends at once. */
    @Nullable
    TraceContext step(SubmissionRequest<?, ?> request) {
        return tracing.equals(Tracing.NONE)
                ? null
                : tracing.created(request.queueName(), request.type().name(), request.taskId());
    }

    /** Links the span of a workflow's turn to the submissions of steps that it shares with others. */
    void shared(Collection<TaskId> existing) {
        if (!existing.isEmpty() && !tracing.equals(Tracing.NONE)) {
            link(tracing.current(), existing);
        }
    }

    /** Begins the span of a signal, which links to the start of its workflow. */
    Span beginSignal(String type, Supplier<TaskId> workflow, String name) {
        if (tracing.equals(Tracing.NONE)) {
            return Span.NONE;
        }
        TaskId id = workflow.get();
        Span span = tracing.signal(type, id, name);
        link(span, List.of(id));
        return span;
    }

    <O extends @Nullable Object> void end(Span span, SubmitOutcome<O> outcome) {
        if (span.equals(Span.NONE)) {
            return;
        }
        TaskId original = original(outcome);
        link(span, original == null ? List.of() : List.of(original));
        switch (outcome) {
            case SubmitOutcome.Accepted<O>(Submission<O> submission) ->
                span.end(submission.created() ? "new" : "duplicate", null);
            case SubmitOutcome.Refused<O>(SemelException why) -> span.end("refused", why.getMessage());
        }
    }

    <O extends @Nullable Object> void endBatch(Span span, List<SubmitOutcome<O>> outcomes) {
        if (span.isRecorded()) {
            Set<TaskId> originals = new LinkedHashSet<>();
            for (SubmitOutcome<O> outcome : outcomes) {
                TaskId original = original(outcome);
                if (original != null && originals.size() < MOST_LINKS) {
                    originals.add(original);
                }
            }
            link(span, originals);
        }
        span.end("answered", null);
    }

    void failed(Span span, RuntimeException thrown) {
        span.end("error", String.valueOf(thrown.getMessage()));
    }

    /** Returns the existing task that answered a submission, or null. */
    private static @Nullable TaskId original(SubmitOutcome<?> outcome) {
        return switch (outcome) {
            case SubmitOutcome.Accepted<?> accepted ->
                accepted.submission().created() ? null : accepted.submission().taskId();
            case SubmitOutcome.Refused<?> refused ->
                switch (refused.error()) {
                    case TaskAlreadyExists e -> e.existingTaskId();
                    case TaskAlreadyCompleted e -> e.existingTaskId();
                    case TaskAlreadyFinished e -> e.existingTaskId();
                    case IdempotencyConflict e -> e.existingTaskId();
                    default -> null;
                };
        };
    }

    private void link(Span span, Collection<TaskId> originals) {
        if (originals.isEmpty() || !span.isRecorded()) {
            return;
        }
        try {
            for (Task task : store.find(originals).values()) {
                TraceContext trace = task.options().trace();
                if (trace != null) {
                    span.link(trace);
                }
            }
        } catch (RuntimeException e) {
            LOG.debug("Span has no link, the store did not answer", e);
        }
    }
}
