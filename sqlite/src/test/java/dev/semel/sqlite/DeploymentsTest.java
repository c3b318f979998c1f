package dev.semel.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import dev.semel.Submission;
import dev.semel.store.Attempt;
import dev.semel.store.Task;
import dev.semel.storetests.process.Child;
import dev.semel.task.TaskState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that get SIGTERM while a long handler runs. */
@Timeout(180)
class DeploymentsTest {

    @TempDir
    Path directory;

    @Test
    void deploymentsCostALongTaskNothing() throws Exception {
        Path file = directory.resolve("semel.db");
        SqliteTaskStore store = SqliteTaskStore.open(file);
        try (Semel semel = Semel.on(store).build()) {
            Submission<String> sent = semel.submit(DeployedWorker.LONG, "x").send();
            semel.submit(DeployedWorker.LONG, "behind it").send();
            for (int deployment = 1; deployment <= 3; deployment++) {
                try (Child child = Child.run(DeployedWorker.class, file, "hangs")) {
                    child.expect("running");
                    child.terminate();
                    assertThat(child.exit()).as("ended by SIGTERM").isEqualTo(128 + 15);
                }
                Task task = Objects.requireNonNull(
                        store.find(List.of(sent.taskId())).get(sent.taskId()));
                assertThat(task.state()).as("deployment %d", deployment).isEqualTo(TaskState.PENDING);
                assertThat(task.progress().vanished()).isZero();
                assertThat(task.progress().failures()).isZero();
            }
            try (Child child = Child.run(DeployedWorker.class, file, "ends")) {
                assertThat(sent.result(Duration.ofSeconds(60))).isEqualTo("done");
                child.terminate();
            }
            assertThat(store.attempts(sent.taskId()))
                    .extracting(Attempt::outcome)
                    .endsWith(Attempt.Outcome.PUT_BACK, Attempt.Outcome.COMPLETED);
        }
    }
}
