package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import dev.semel.observe.Span;
import dev.semel.observe.TracedAttempt;
import dev.semel.observe.Tracing;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.task.TaskId;
import dev.semel.task.TaskType;
import dev.semel.task.TraceContext;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** The names under which a handler's log lines carry its attempt. Tested here, because Logback keeps them. */
class LogContextTest {

    private static final TaskType<String, String> WORK =
            TaskType.builder("work", String.class, String.class).queue("jobs").build();

    /** Traces of which every span is the same. */
    private static final class OneSpan implements Tracing, Span {

        private static final TraceContext CONTEXT =
                new TraceContext("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", null);

        @Override
        public Span submission(String queue, String type, TaskId id) {
            return this;
        }

        @Override
        public Span batch(int submissions) {
            return this;
        }

        @Override
        public TraceContext created(String queue, String type, TaskId id) {
            return CONTEXT;
        }

        @Override
        public Span attempt(TracedAttempt attempt) {
            return this;
        }

        @Override
        public Span effect(String name) {
            return this;
        }

        @Override
        public Span signal(String type, TaskId workflow, String name) {
            return this;
        }

        @Override
        public Span current() {
            return this;
        }

        @Override
        public TraceContext context() {
            return CONTEXT;
        }

        @Override
        public String traceId() {
            return CONTEXT.traceId();
        }

        @Override
        public boolean isRecorded() {
            return true;
        }

        @Override
        public void link(TraceContext other) {}

        @Override
        public void end(String outcome, @Nullable String error) {}
    }

    @Test
    void aHandlersLogLinesCarryTaskTypeAttemptAndTrace() {
        Map<String, String> logged = new ConcurrentHashMap<>();
        try (Semel semel =
                Semel.on(new InMemoryTaskStore()).tracing(new OneSpan()).build()) {
            semel.worker("jobs")
                    .handle(WORK, (context, input) -> {
                        logged.putAll(MDC.getCopyOfContextMap());
                        return input;
                    })
                    .start();
            var submission = semel.submit(WORK, "a").send();
            submission.result(Duration.ofSeconds(30));
            assertThat(logged)
                    .isEqualTo(Map.of(
                            "semel.task_id", submission.taskId().toString(),
                            "semel.task_type", "work",
                            "semel.attempt", "1",
                            "trace_id", "0af7651916cd43dd8448eb211c80319c"));
        }
    }
}
