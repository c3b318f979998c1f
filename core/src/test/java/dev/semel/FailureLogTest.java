package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.semel.engine.Handler;
import dev.semel.engine.RawJson;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.Task;
import dev.semel.task.PermanentFailure;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the log of failed attempts: WARN if the task is retried, ERROR if no attempt is left. */
@Timeout(60)
class FailureLogTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final TaskType<String, String> WORK = TaskType.builder("work", String.class, String.class)
            .retry(RetryPolicy.delays(Duration.ZERO))
            .build();

    private final InMemoryTaskStore store = new InMemoryTaskStore();

    private Task task(TaskId id) {
        return Objects.requireNonNull(store.find(List.of(id)).get(id));
    }

    private TaskId ended(Semel semel, TaskType<String, String> type, Handler<String, String> handler) {
        TaskId id = semel.submit(type, "card 4111").send().taskId();
        semel.worker("default").handle(type, handler).start();
        await().atMost(SOON).until(() -> !task(id).state().isOpen());
        return id;
    }

    @Test
    void aFailureIsAWarningAndTheLastOneAnError() {
        try (CapturedLog log = new CapturedLog();
                Semel semel = Semel.on(store).build()) {
            TaskId id = ended(semel, WORK, (context, input) -> {
                throw new IllegalStateException("number " + context.attempt());
            });
            List<String> lines = log.linesOf("dev.semel.handler.work");
            assertThat(lines).hasSize(2);
            assertThat(lines.get(0))
                    .contains(" WARN ", "task=" + id, "type=work", "queue=default", "attempt=1", "failures=1");
            assertThat(lines.get(1)).contains(" ERROR ", "task=" + id, "type=work", "attempt=2", "failures=2");
            assertThat(log.text())
                    .contains("java.lang.IllegalStateException: number 1", "java.lang.IllegalStateException: number 2")
                    .doesNotContain("4111");
        }
    }

    @Test
    void aPermanentFailureIsAnErrorAtOnce() {
        try (CapturedLog log = new CapturedLog();
                Semel semel = Semel.on(store).build()) {
            ended(semel, WORK, (context, input) -> {
                throw new PermanentFailure("no such account");
            });
            assertThat(log.linesOf("dev.semel.handler.work"))
                    .singleElement()
                    .asString()
                    .contains(" ERROR ");
            assertThat(log.text()).contains("no such account");
        }
    }

    @Test
    void aTimeoutIsLoggedOnceEvenIfTheHandlerEndsMuchLater() {
        TaskType<String, String> slow = TaskType.builder("slow", String.class, String.class)
                .timeout(Duration.ofMillis(20))
                .retry(RetryPolicy.attempts(1))
                .build();
        try (CapturedLog log = new CapturedLog();
                Semel semel = Semel.on(store).build()) {
            TaskId id = ended(semel, slow, (context, input) -> {
                new CountDownLatch(1).await();
                return "";
            });
            assertThat(task(id).state()).isEqualTo(TaskState.TIMED_OUT);
            assertThat(log.linesOf("dev.semel.handler.slow"))
                    .singleElement()
                    .asString()
                    .contains(" ERROR ", "error=The attempt ran longer than its timeout of 20ms.");
        }
    }

    @Test
    void aSnoozeACancellationAndAClosingWorkerAreNoFailures() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        try (CapturedLog log = new CapturedLog()) {
            try (Semel semel = Semel.on(store).build()) {
                ended(semel, WORK, (context, input) -> {
                    if (context.attempt() == 1) {
                        throw context.snooze(Duration.ZERO);
                    }
                    return "";
                });
                TaskType<String, String> other = TaskType.of("other", String.class, String.class);
                semel.submit(other, "").queue("second").send();
                semel.worker("second")
                        .closeGrace(Duration.ZERO)
                        .handle(other, (context, input) -> {
                            running.countDown();
                            new CountDownLatch(1).await();
                            return "";
                        })
                        .start();
                running.await();
            }
            assertThat(log.linesOf("dev.semel.handler")).isEmpty();
        }
    }

    @Test
    void theHandlerOfAnyTypeHasOneLogger() {
        try (CapturedLog log = new CapturedLog();
                Semel semel = Semel.on(store).build()) {
            TaskId id = semel.submit(WORK, "").send().taskId();
            semel.worker("default")
                    .handleAny(TaskType.of("any", RawJson.class, RawJson.class), (context, input) -> {
                        throw new PermanentFailure("unknown type");
                    })
                    .start();
            await().atMost(SOON).until(() -> task(id).state() == TaskState.FAILED);
            assertThat(log.linesOf("dev.semel.handler"))
                    .singleElement()
                    .asString()
                    .contains(" ERROR dev.semel.handler ", "type=work");
        }
    }
}
