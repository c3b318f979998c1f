package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.semel.store.InMemoryTaskStore;
import dev.semel.task.TaskType;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A submission that is prepared and never sent does nothing, and says so. */
@Timeout(60)
class UnsentRequestsTest {

    private static final String LOGGER = "dev.semel.SubmissionRequest";
    private static final TaskType<String, String> FORGOTTEN = TaskType.of("forgotten", String.class, String.class);
    private static final TaskType<String, String> SENT = TaskType.of("sent", String.class, String.class);

    @Test
    void aForgottenSendIsReportedWhenTheInstanceIsClosed() {
        try (CapturedLog log = new CapturedLog()) {
            SubmissionRequest<String, String> kept;
            try (Semel semel = Semel.on(new InMemoryTaskStore()).build()) {
                kept = semel.submit(FORGOTTEN, "x").idempotencyKey("k");
                semel.submit(SENT, "x").send();
                semel.submitAll(List.of(semel.submit(SENT, "y"), semel.submit(SENT, "z")));
                assertThat(semel.explain(semel.submit(SENT, "x"))).isNotNull();
                assertThat(log.linesOf(LOGGER)).isEmpty();
            }
            assertThat(log.linesOf(LOGGER)).hasSize(1);
            assertThat(log.linesOf(LOGGER).getFirst())
                    .contains(" WARN ", "type=forgotten", "prepared_at=", "never sent", "send()")
                    .doesNotContain("key", "x\"");
            assertThat(kept.taskId()).isNotNull();
        }
    }

    @Test
    void aForgottenSendIsReportedWhileTheProgramRuns() {
        try (CapturedLog log = new CapturedLog();
                Semel semel = Semel.on(new InMemoryTaskStore()).build()) {
            forget(semel);
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                System.gc();
                semel.submit(SENT, "x").send();
                return !log.linesOf(LOGGER).isEmpty();
            });
            assertThat(log.linesOf(LOGGER).getFirst()).contains("type=forgotten");
        }
    }

    private static void forget(Semel semel) {
        assertThat(semel.submit(FORGOTTEN, "x").idempotencyKey("k")).isNotNull();
    }
}
