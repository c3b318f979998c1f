package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class TaskTest {

    private static final String UNKNOWN = "0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de";

    @TempDir
    Path directory;

    private Cli cli;

    @BeforeEach
    void makeCli() {
        cli = new Cli(directory);
    }

    @Test
    void aTaskIsShownWithItsAttempts() {
        String id = cli.submit("charge", "{\"order\":1}", "--key", "k", "--queue", "payments");
        cli.run("worker", "payments", "--exec", "echo 17", "--once").exits(0);
        String text = cli.run("task", "show", id).exits(0).out();
        assertThat(text).contains(id, "completed", "payments", "charge", "k (scope type, run 1)", "17", "OUTCOME");
        JsonNode json = cli.show(id);
        assertThat(json.path("attempts").size()).isEqualTo(1);
        assertThat(json.path("attempts").path(0).path("outcome").asString()).isEqualTo("completed");
        assertThat(json.path("result").asInt()).isEqualTo(17);
    }

    @Test
    void aTaskIsShownWithItsTimeLimitsAndTags() {
        String id = cli.submit("t", "{}", "--time-limit", "1h", "--start-by", "10m", "--tag", "blue,red");
        JsonNode json = cli.show(id);
        Instant created = Instant.parse(json.path("created_at").asString());
        assertThat(json.path("start_by").asString())
                .isEqualTo(created.plus(Duration.ofMinutes(10)).toString());
        assertThat(json.path("deadline").asString())
                .isEqualTo(created.plus(Duration.ofHours(1)).toString());
        assertThat(json.path("tags").toString()).isEqualTo("[\"blue\",\"red\"]");
        assertThat(cli.run("task", "show", id).exits(0).out())
                .contains("\nStart by    ", "\nDeadline    ", "\nTags        blue, red\n");
        String plain = cli.submit("t", "{}");
        assertThat(cli.run("task", "show", plain).exits(0).out()).doesNotContain("Start by", "Deadline", "Tags");
    }

    @Test
    void anUnknownTaskIsNotFound() {
        cli.submit("t", "{}");
        assertThat(cli.run("task", "show", UNKNOWN).exits(5).err()).contains(UNKNOWN);
        JsonNode json = cli.run("task", "result", UNKNOWN, "--json").exits(5).json();
        assertThat(json.path("error").asString()).isEqualTo("TaskNotFound");
        assertThat(json.path("task_id").asString()).isEqualTo(UNKNOWN);
    }

    @Test
    void anotherTenantsTaskLooksUnknown() {
        String id = cli.submit("t", "{}", "--tenant", "acme");
        cli.run("task", "show", id, "--tenant", "acme").exits(0);
        cli.run("task", "show", id, "--tenant", "other").exits(5);
        assertThat(cli.run("task", "list", "--tenant", "other").exits(0).out()).startsWith("No tasks");
    }

    @Test
    void aListIsFilteredAndPaged() {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            ids.addFirst(cli.submit("t" + i % 2, "{}", "--queue", "q", "--key", "k" + i));
        }
        assertThat(listed("--queue", "q")).containsExactlyElementsOf(ids);
        assertThat(listed("--queue", "none")).isEmpty();
        assertThat(listed("--type", "t1")).hasSize(2);
        assertThat(listed("--type", "t1", "--key", "k3")).containsExactly(ids.get(1));
        assertThat(listed("--state", "completed")).isEmpty();
        assertThat(listed("--state", "completed", "--state", "pending")).hasSize(5);
        JsonNode page =
                cli.run("task", "list", "--limit", "2", "--json").exits(0).json();
        assertThat(page.path("next").asString()).isEqualTo(ids.get(1));
        assertThat(listed("--limit", "2", "--before", ids.get(1))).containsExactly(ids.get(2), ids.get(3));
        assertThat(cli.run("task", "list", "--limit", "2").exits(0).out()).contains("--before " + ids.get(1));
    }

    private List<String> listed(String... arguments) {
        List<String> all = new ArrayList<>(List.of("task", "list", "--json"));
        all.addAll(List.of(arguments));
        return cli.run(all.toArray(String[]::new))
                .exits(0)
                .json()
                .path("tasks")
                .valueStream()
                .map(task -> task.path("task_id").asString())
                .toList();
    }

    @Test
    void aTableFitsTheWidthAndKeepsItsIds() {
        String id = cli.submit(
                "a-rather-long-task-type-name", "{}", "--queue", "a-long-queue-name", "--key", "k".repeat(255));
        for (int width : new int[] {80, 99, 100, 200}) {
            Cli.Ran ran =
                    Cli.bare("", Map.of("COLUMNS", Integer.toString(width)), "task", "list", "--store", cli.url());
            assertThat(ran.out().lines()).allMatch(line -> line.length() <= width);
            assertThat(ran.out()).contains(id, "pending", "…");
        }
        assertThat(cli.run("task", "list").out()).contains("k".repeat(255));
    }

    @Test
    void statesHaveColoursOnlyAtATerminal() {
        cli.dead("t", "{}");
        assertThat(cli.atTerminal("", "task", "list").exits(0).out()).contains("\u001b[31mfailed\u001b[0m");
        assertThat(cli.atTerminal("", "task", "list", "--no-color").exits(0).out())
                .contains("failed")
                .doesNotContain("\u001b");
        assertThat(cli.atTerminal("", "task", "list", "--json").exits(0).out()).doesNotContain("\u001b");
        assertThat(cli.run("task", "list").exits(0).out()).doesNotContain("\u001b");
    }

    @Test
    void aResultIsPrintedOrSaysWhyThereIsNone() {
        String id = cli.submit("t", "{}");
        assertThat(cli.run("task", "result", id).exits(1).err()).contains("has not ended");
        assertThat(cli.run("task", "result", id, "--wait", "10ms", "--json")
                        .exits(1)
                        .json()
                        .path("error")
                        .asString())
                .isEqualTo("ResultNotReady");
        cli.run("worker", "default", "--exec", "echo '[1]'", "--once").exits(0);
        assertThat(cli.run("task", "result", id).exits(0).out()).isEqualTo("[1]\n");
        assertThat(cli.run("task", "result", id, "--json")
                        .exits(0)
                        .json()
                        .path("result")
                        .toString())
                .isEqualTo("[1]");

        String bad = cli.submit("t", "{}");
        cli.run("worker", "default", "--exec", "echo broken >&2; exit 65", "--once")
                .exits(0);
        assertThat(cli.run("task", "result", bad).exits(1).err()).contains("failed", "broken");
        JsonNode json = cli.run("task", "result", bad, "--json").exits(1).json();
        assertThat(json.path("error").asString()).isEqualTo("TaskUnsuccessful");
        assertThat(json.path("status").asString()).isEqualTo("failed");
    }

    @Test
    void lookingForTasksDoesNotCreateAStore() {
        assertThat(cli.run("task", "list").exits(6).err()).contains("There is no store", "--store");
        assertThat(cli.run("task", "show", UNKNOWN, "--json")
                        .exits(6)
                        .json()
                        .path("error")
                        .asString())
                .isEqualTo("StoreUnusable");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aStoreThatCannotBeUsedIsSaidSo() throws IOException {
        Files.writeString(cli.file(), "this is not a database, and it is long enough to have a header".repeat(20));
        Cli.Ran ran = cli.run("submit", "t", "{}").exits(6);
        assertThat(ran.err())
                .contains(cli.file().toString(), "no SQLite database")
                .doesNotContain("\tat ");
        assertThat(cli.run("submit", "t", "{}", "--json")
                        .exits(6)
                        .json()
                        .path("error")
                        .asString())
                .isEqualTo("StoreUnusable");
        Cli.bare("", Map.of(), "submit", "t", "{}", "--store", "sqlite:" + directory.resolve("none/semel.db"))
                .exits(6);
    }

    @Test
    void aTaskThatHasEndedIsErasedAndItsKeyStays() {
        String id = cli.submit("charge", "1", "--key", "erased");
        assertThat(cli.json(ExitCode.EXISTS, "task", "erase", id).path("error").asString())
                .isEqualTo("TaskOpen");
        cli.run("task", "cancel", id).exits(0);
        assertThat(cli.json("task", "erase", id).path("outcome").asString()).isEqualTo("erased");
        cli.run("task", "show", id).exits(ExitCode.NOT_FOUND);
        cli.run("task", "erase", id).exits(ExitCode.NOT_FOUND);
        assertThat(cli.json("key", "show", "erased", "--type", "charge")
                        .path("record")
                        .path("data_gone")
                        .asBoolean())
                .isTrue();
    }
}
