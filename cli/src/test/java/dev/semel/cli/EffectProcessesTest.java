package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A worker is killed inside an effect, and a person resolves the effect in a shell. */
class EffectProcessesTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    private final List<String> lines = Collections.synchronizedList(new ArrayList<>());

    @Test
    @Timeout(180)
    void aWorkerThatIsKilledInsideAnEffectLeavesItUnknownUntilAPersonResolvesIt() throws InterruptedException {
        Cli cli = new Cli(directory);
        String id = cli.submit("charges", "{\"order\":1}", "--queue", "q");
        try (Child first = start(cli)) {
            await().atMost(PATIENCE).until(() -> lines.contains("charges"));
            assertThat(cli.json(4, "effect", "resolve", id, "charge", "--not-done", "--reason", "r")
                            .path("error")
                            .asString())
                    .isEqualTo("EffectInProgress");
            first.kill();
        }
        try (Child second = start(cli)) {
            await().atMost(PATIENCE).until(() -> cli.show(id).has("parked_for"));
            JsonNode task = cli.show(id);
            assertThat(task.path("attempts")
                            .valueStream()
                            .map(attempt -> attempt.path("outcome").asString()))
                    .containsExactly("vanished", "parked");
            assertThat(task.path("failures").asInt()).isZero();
            assertThat(task.path("effects")
                            .valueStream()
                            .map(effect -> effect.path("effect").asString() + " "
                                    + effect.path("state").asString() + " "
                                    + effect.path("attempt").asInt()))
                    .containsExactly("reserve done 1", "charge unknown 2");
            assertThat(cli.json("effect", "list", "--unknown").path("effects").size())
                    .isEqualTo(1);
            try (Child person = Child.semel(
                    directory,
                    "effect",
                    "resolve",
                    id,
                    "charge",
                    "--attempt",
                    "2",
                    "--done",
                    "{\"paid\":true}",
                    "--reason",
                    "seen at the bank",
                    "--store",
                    cli.url())) {
                assertThat(person.exitCode()).as(person.out()).isZero();
                // The worker may have claimed it already when the command reads its state.
                assertThat(person.out())
                        .contains("The task continues with the given result")
                        .containsPattern("is (pending|running|completed)\\.");
            }
            assertThat(cli.run("task", "result", id, "--wait", "60s").exits(0).out())
                    .isEqualTo("{\"paid\":true}\n");
            assertThat(second.isAlive()).isTrue();
        }
        assertThat(lines).containsExactly("reserves", "charges");
    }

    private Child start(Cli cli) {
        return Child.start(directory, TestWorker.class, lines::add, cli.file().toString());
    }
}
