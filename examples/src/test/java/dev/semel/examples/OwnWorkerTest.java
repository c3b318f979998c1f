package dev.semel.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import dev.semel.Submission;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.store.Attempt;
import dev.semel.store.Task;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskState;
import dev.semel.task.TaskUnsuccessful;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The program of its own, as a process of its own. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OwnWorkerTest {

    @TempDir
    Path directory;

    private Process start(Path file, Path errors) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        OwnWorker.class.getName(),
                        file.toString())
                .redirectError(errors.toFile())
                .start();
    }

    @Test
    void aWorkerOfItsOwnRunsUntilItIsTerminatedAndReturnsItsTasks() throws Exception {
        Path file = directory.resolve("semel.db");
        Path errors = directory.resolve("errors.txt");
        Process process;
        Submission<String> slow;
        try (Semel semel = Semel.on(SqliteTaskStore.open(file)).build()) {
            Submission<String> quick = semel.submit(OwnWorker.SEND, new OwnWorker.Mail("ada@example.org", "quick"))
                    .send();
            process = start(file, errors);
            assertThat(quick.result(Duration.ofSeconds(60))).startsWith("sent with token ");
            slow = semel.submit(OwnWorker.SEND, new OwnWorker.Mail("ada@example.org", "slow"))
                    .send();
            Submission<String> failing = semel.submit(OwnWorker.SEND, new OwnWorker.Mail("", "failing"))
                    .retry(RetryPolicy.attempts(1))
                    .send();
            Assertions.assertThatThrownBy(() -> failing.result(Duration.ofSeconds(60)))
                    .isInstanceOf(TaskUnsuccessful.class);
            List<String> printed = new ArrayList<>();
            try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
                while (!printed.contains("sending slow")) {
                    printed.add(lines.readLine());
                }
                assertThat(printed.getFirst()).startsWith("working as ");
                process.toHandle().destroy(); // SIGTERM
                assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            }
            assertThat(process.exitValue()).as("ended by a signal").isEqualTo(128 + 15);
            Task returned = semel.tasks().find(slow.taskId()).orElseThrow();
            assertThat(returned.state()).isEqualTo(TaskState.PENDING);
            assertThat(returned.progress().failures()).isZero();
            assertThat(returned.progress().vanished()).isZero();
            assertThat(slow.handle().attempts()).extracting(Attempt::outcome).containsExactly(Attempt.Outcome.PUT_BACK);
        }
        assertThat(errors)
                .content()
                .contains("ERROR dev.semel.handler.send_mail", "type=send_mail", "A mail needs an address");
    }
}
