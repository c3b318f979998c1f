package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.semel.Semel;
import dev.semel.engine.RawJson;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class WorkLogTest {

    private static final TaskType<RawJson, RawJson> CHARGE = TaskType.builder("charge", RawJson.class, RawJson.class)
            .retry(RetryPolicy.delays(Duration.ZERO))
            .build();

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    /** Lets a worker with a log park a task, and returns its id. */
    private TaskId park(boolean json) {
        Console console = Console.of(
                InputStream.nullInputStream(),
                new PrintStream(bytes, true, StandardCharsets.UTF_8),
                System.err,
                Map.of());
        try (Semel semel = Semel.on(new ObservedStore(new InMemoryTaskStore(), new WorkLog(console, json)))
                .build()) {
            semel.worker("default")
                    .handle(
                            CHARGE,
                            (context, input) -> context.effect("charge", RawJson.class)
                                    .parkIfUnknown()
                                    .run(token -> {
                                        throw new IOException("no answer");
                                    }))
                    .start();
            TaskId id = semel.submit(CHARGE, new RawJson("{}")).send().taskId();
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> printed().stream().anyMatch(line -> line.contains("parked")));
            return id;
        }
    }

    private List<String> printed() {
        return bytes.toString(StandardCharsets.UTF_8).lines().toList();
    }

    @Test
    void aParkedTaskIsNamedWithWhatToDoAboutIt() {
        TaskId id = park(false);
        assertThat(printed().get(0)).contains(id + "  charge  attempt 1  retried", "no answer");
        assertThat(printed().get(1))
                .contains(id + "  charge  attempt 2  parked", "unknown whether effect \"charge\" happened");
        assertThat(printed().get(2)).contains("semel effect resolve " + id + " charge");
    }

    @Test
    void theJsonNamesTheEffect() {
        park(true);
        JsonNode line = Cli.MAPPER.readTree(printed().get(1));
        assertThat(line.path("outcome").asString()).isEqualTo("parked");
        assertThat(line.path("parked_for").asString()).isEqualTo("charge");
    }
}
