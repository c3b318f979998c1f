package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.QueueSettings;
import dev.semel.task.TaskType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the warnings about names that are probably misspelled. */
@Timeout(60)
class NameChecksTest {

    private static final String LOGGER = "dev.semel.NameCheck";

    @TempDir
    Path directory;

    private static TaskType<String, String> type(String name, String queue) {
        return TaskType.builder(name, String.class, String.class).queue(queue).build();
    }

    private Settings settings(String text) throws IOException {
        return SettingsFile.read(Files.writeString(directory.resolve("semel.toml"), text));
    }

    @Test
    void aSubmissionWithAMisspelledQueueOrTypeIsReportedOnce() throws IOException {
        try (CapturedLog log = new CapturedLog();
                Semel semel = Semel.on(new InMemoryTaskStore())
                        .queue(
                                "payments",
                                QueueSettings.builder().concurrency(5).build())
                        .settings(settings("[tasks.charge_customer]\nqueue = \"payments\""))
                        .build()) {
            for (int i = 0; i < 3; i++) {
                semel.submit(type("charge_custmer", "paymnets"), "").send();
                semel.submit(type("charge_customer", "payments"), "").send();
                semel.submit(type("something_else", "elsewhere"), "").send();
            }
            assertThat(log.linesOf(LOGGER)).hasSize(2);
            assertThat(log.linesOf(LOGGER).get(0))
                    .contains(" WARN ", "queue=paymnets", "used_by=submission", "did_you_mean=payments");
            assertThat(log.linesOf(LOGGER).get(1)).contains("type=charge_custmer", "did_you_mean=charge_customer");
        }
    }

    @Test
    void aWorkerThatDoesNotClaimTheQueueOfItsTypeIsReported() throws IOException {
        try (CapturedLog log = new CapturedLog();
                Semel semel = Semel.on(new InMemoryTaskStore())
                        .settings(settings("[tasks.moved]\nqueue = \"mail\"\n[workers.payments]\nconcurrency = 2"))
                        .build()) {
            semel.worker("paymnts", "mail")
                    .name("w1")
                    .handle(type("charge", "payments"), (context, input) -> input)
                    .handle(type("moved", "payments"), (context, input) -> input)
                    .start();
            assertThat(log.linesOf(LOGGER)).hasSize(2);
            assertThat(log.linesOf(LOGGER).get(0)).contains("queue=paymnts", "used_by=worker", "did_you_mean=payments");
            assertThat(log.linesOf(LOGGER).get(1)).contains("worker=w1", "type=charge", "queue_of_type=payments");
        }
    }

    @Test
    void numberedNamesAndThoseOfProgramsWithoutAConfigurationAreFine() {
        try (CapturedLog log = new CapturedLog();
                Semel semel = Semel.on(new InMemoryTaskStore())
                        .queue("shard-1", QueueSettings.builder().concurrency(5).build())
                        .build();
                Semel bare = Semel.on(new InMemoryTaskStore()).build()) {
            semel.submit(type("work", "shard-2"), "").send();
            bare.submit(type("work", "payments"), "").send();
            bare.submit(type("work", "paymnets"), "").send();
            assertThat(log.linesOf(LOGGER)).isEmpty();
        }
    }

    @Test
    void theSettingsOfAWorkerComeFromTheConfiguration() throws IOException {
        try (Semel semel = Semel.on(new InMemoryTaskStore())
                .settings(settings("[workers.payments]\nconcurrency = 3\nlease = \"10s\""))
                .build()) {
            var configured = semel.worker("payments", "mail")
                    .concurrency(9)
                    .prefetch(7)
                    .handle(type("work", "mail"), (context, input) -> input)
                    .start()
                    .settings();
            assertThat(configured.concurrency()).isEqualTo(3);
            assertThat(configured.lease()).isEqualTo(Duration.ofSeconds(10));
            assertThat(configured.prefetch()).isEqualTo(7);
            assertThat(semel.worker("mail", "payments")
                            .concurrency(9)
                            .handle(type("work", "mail"), (context, input) -> input)
                            .start()
                            .settings()
                            .concurrency())
                    .as("the first queue names the table")
                    .isEqualTo(9);
        }
    }
}
