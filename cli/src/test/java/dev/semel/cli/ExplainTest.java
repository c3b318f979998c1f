package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class ExplainTest {

    @TempDir
    Path directory;

    private Cli cli;

    @BeforeEach
    void makeCli() {
        cli = new Cli(directory);
    }

    @Test
    void aSubmissionIsExplainedBeforeThereIsAStore() {
        JsonNode json = cli.json("submit", "t", "{}", "--key", "k", "--explain");
        assertThat(json.path("outcome").asString()).isEqualTo("create");
        assertThat(cli.run("submit", "t", "{}", "--key", "k", "--explain")
                        .exits(0)
                        .out())
                .contains("\"k\"", "creates a new task");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aDryRunSaysWhatTheRealOneDoesAndChangesNothing() {
        String id = cli.submit("t", "{\"a\":1}", "--key", "k");
        assertThat(explained("{\"a\":1}")).isEqualTo("return");
        assertThat(explained("{\"a\":2}")).isEqualTo("conflict");
        assertThat(explained("{\"a\":2}", "--reuse", "never, other-input=warn")).isEqualTo("warn");
        assertThat(explained("{\"a\":1}", "--reuse", "reject")).isEqualTo("reject");
        assertThat(explained("{\"a\":2}", "--reuse", "open=replace")).isEqualTo("replace");
        assertThat(cli.run("submit", "t", "{\"a\":2}", "--key", "k", "--explain")
                        .exits(0)
                        .out())
                .contains(id, "/a");
        JsonNode tasks = cli.json("task", "list").path("tasks");
        assertThat(tasks.size()).isEqualTo(1);
        assertThat(tasks.path(0).path("state").asString()).isEqualTo("pending");
        assertThat(cli.json("key", "show", "k", "--type", "t")
                        .path("record")
                        .path("duplicates")
                        .asInt())
                .isZero();
        cli.run("task", "cancel", id).exits(0);
        assertThat(explained("{\"a\":1}")).isEqualTo("rerun");
    }

    private String explained(String input, String... more) {
        String[] all = new String[6 + more.length];
        System.arraycopy(new String[] {"submit", "t", input, "--key", "k", "--explain"}, 0, all, 0, 6);
        System.arraycopy(more, 0, all, 6, more.length);
        return cli.json(all).path("outcome").asString();
    }

    @Test
    void whatTheConfigurationSaysOfAQueueCounts() throws IOException {
        cli.submit("t", "{}", "--key", "k");
        String config = Files.writeString(
                        directory.resolve("c.toml"), "[queues.default]\nreuse = \"never, open=reject\"\n")
                .toString();
        assertThat(explained("{}", "--config", config)).isEqualTo("reject");
        assertThat(explained("{}")).isEqualTo("return");
    }

    @Test
    void aBadSubmissionIsBadAlsoWhenItIsOnlyExplained() {
        cli.run("submit", "t", "{", "--explain").exits(2);
        assertThat(cli.run("submit", "t", "{}", "--explain", "--wait", "1s")
                        .exits(2)
                        .err())
                .contains("nothing is submitted");
        cli.run("submit", "t", "{}", "--key", "k".repeat(256), "--explain").exits(2);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aTaskIsExplainedAfterwards() {
        String id = cli.submit("t", "{\"secret\":\"swordfish\"}", "--key", "k");
        JsonNode json = cli.json("task", "explain", id);
        assertThat(json.path("task_id").asString()).isEqualTo(id);
        assertThat(cli.run("task", "explain", id).exits(0).out())
                .contains("\"k\"", "scope")
                .doesNotContain("swordfish");
        String unkeyed = cli.submit("t", "{}");
        assertThat(cli.run("task", "explain", unkeyed).exits(0).out()).contains("no key");
        assertThat(cli.json(5, "task", "explain", "0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de")
                        .path("error")
                        .asString())
                .isEqualTo("TaskNotFound");
        cli.json(5, "task", "explain", id, "--tenant", "other");
        cli.json(2, "task", "explain", "17");
    }
}
