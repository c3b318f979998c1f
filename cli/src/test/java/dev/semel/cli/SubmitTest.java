package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class SubmitTest {

    @TempDir
    Path directory;

    private Cli cli;

    @BeforeEach
    void makeCli() {
        cli = new Cli(directory);
    }

    private JsonNode submit(int code, String... arguments) {
        String[] all = new String[arguments.length + 2];
        all[0] = "submit";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        all[all.length - 1] = "--json";
        return cli.run(all).exits(code).json();
    }

    @Test
    void aFirstSubmissionCreatesAndTheSameAgainIsADuplicate() {
        JsonNode first = submit(0, "charge", "{\"order\":1}", "--key", "k");
        assertThat(first.propertyNames()).containsExactly("task_id", "created", "run", "state");
        assertThat(first.path("created").asBoolean()).isTrue();
        assertThat(first.path("run").asInt()).isEqualTo(1);
        assertThat(first.path("state").asString()).isEqualTo("pending");

        JsonNode again = submit(0, "charge", "{ \"order\": 1.0 }", "--key", "k");
        assertThat(again.path("created").asBoolean()).isFalse();
        assertThat(again.path("task_id")).isEqualTo(first.path("task_id"));
        Instant created = Instant.parse(again.path("deduplicated_from").asString());
        assertThat(created).isBeforeOrEqualTo(Instant.now());
        assertThat(cli.run("submit", "charge", "{\"order\":1}", "--key", "k")
                        .exits(0)
                        .out())
                .contains(first.path("task_id").asString(), "already has this key");
    }

    @Test
    void timeLimitsAreStoredAndShown() {
        String id = submit(0, "charge", "{}", "--time-limit", "2h", "--start-by", "5m")
                .path("task_id")
                .asString();
        JsonNode task = cli.run("task", "show", id, "--json").exits(0).json();
        Instant created = Instant.parse(task.path("created_at").asString());
        assertThat(Instant.parse(task.path("start_by").asString())).isEqualTo(created.plusSeconds(300));
        assertThat(Instant.parse(task.path("deadline").asString())).isEqualTo(created.plusSeconds(7200));
        assertThat(submit(2, "charge", "{}", "--time-limit", "5m", "--start-by", "2h")
                        .path("message")
                        .asString())
                .contains("time limit");
        assertThat(submit(2, "charge", "{}", "--start-by", "5m", "--delay", "5m")
                        .path("message")
                        .asString())
                .contains("delay");
    }

    @Test
    void tasksAreFoundCancelledAndRedrivenByTheirTags() {
        String red =
                submit(0, "charge", "{}", "--tag", "red,blue").path("task_id").asString();
        String blue = submit(0, "charge", "{}", "--tag", "blue").path("task_id").asString();
        submit(0, "charge", "{}");
        assertThat(cli.run("task", "list", "--tag", "blue", "--json").exits(0).out())
                .contains(red, blue);
        assertThat(cli.run("task", "list", "--tag", "red", "--json").exits(0).out())
                .contains(red)
                .doesNotContain(blue);
        assertThat(cli.run("task", "show", red, "--json")
                        .exits(0)
                        .json()
                        .path("tags")
                        .size())
                .isEqualTo(2);
        cli.run("task", "cancel", "--tag", "red", "--yes", "--json").exits(0);
        assertThat(cli.run("task", "list", "--state", "cancelled", "--json")
                        .exits(0)
                        .out())
                .contains(red)
                .doesNotContain(blue);
        cli.run("dead", "list", "--tag", "red", "--json").exits(0);
        cli.run("dead", "redrive", "--tag", "red", "--yes", "--json").exits(0);
        cli.run("workflow", "list", "--tag", "red", "--json").exits(0);
        submit(2, "charge", "{}", "--tag", "red,,blue");
    }

    @Test
    void otherInputUnderTheSameKeyIsAConflictThatNamesThePaths() {
        JsonNode first = submit(0, "charge", "{\"order\":1,\"amount\":2}", "--key", "k");
        JsonNode conflict = submit(3, "charge", "{\"order\":1,\"amount\":3}", "--key", "k");
        assertThat(conflict.path("error").asString()).isEqualTo("IdempotencyConflict");
        assertThat(conflict.path("existing_task_id")).isEqualTo(first.path("task_id"));
        assertThat(conflict.path("status").asString()).isEqualTo("pending");
        assertThat(conflict.path("differing_paths").toString()).isEqualTo("[\"/amount\"]");
        assertThat(conflict.path("existing_hash").asString())
                .isNotEqualTo(conflict.path("request_hash").asString())
                .startsWith("sha256:");
        assertThat(cli.run("submit", "charge", "{\"order\":9}", "--key", "k")
                        .exits(3)
                        .err())
                .contains("/order", "Nothing was changed")
                .doesNotContain("\tat ");
    }

    @Test
    void anExistingTaskIsRejectedWhereTheCallerWantsThat() {
        JsonNode first = submit(0, "charge", "{}", "--key", "k");
        JsonNode open = submit(4, "charge", "{}", "--key", "k", "--reuse", "reject");
        assertThat(open.path("error").asString()).isEqualTo("TaskAlreadyExists");
        assertThat(open.path("existing_task_id")).isEqualTo(first.path("task_id"));
        assertThat(open.path("status").asString()).isEqualTo("pending");

        cli.run("worker", "default", "--exec", "echo '{\"paid\":true}'", "--once")
                .exits(0);
        JsonNode completed = submit(4, "charge", "{}", "--key", "k", "--reuse", "reject");
        assertThat(completed.path("error").asString()).isEqualTo("TaskAlreadyCompleted");
        assertThat(completed.path("status").asString()).isEqualTo("completed");
        assertThat(completed.path("result").path("paid").asBoolean()).isTrue();
        assertThat(Instant.parse(completed.path("completed_at").asString())).isBeforeOrEqualTo(Instant.now());

        submit(0, "refund", "{}", "--key", "k");
        cli.run("worker", "default", "--exec", "exit 65", "--once").exits(0);
        JsonNode failed = submit(4, "refund", "{}", "--key", "k", "--reuse", "reject");
        assertThat(failed.path("error").asString()).isEqualTo("TaskAlreadyFinished");
        assertThat(failed.path("status").asString()).isEqualTo("failed");
    }

    @Test
    void afterAFailureTheSameKeyRunsAgain() {
        JsonNode first = submit(0, "charge", "{}", "--key", "k");
        cli.run("worker", "default", "--exec", "exit 65", "--once").exits(0);
        JsonNode second = submit(0, "charge", "{}", "--key", "k");
        assertThat(second.path("created").asBoolean()).isTrue();
        assertThat(second.path("run").asInt()).isEqualTo(2);
        assertThat(second.path("task_id")).isNotEqualTo(first.path("task_id"));
        assertThat(submit(0, "charge", "{}", "--key", "k", "--reuse", "never").path("task_id"))
                .isEqualTo(second.path("task_id"));
    }

    @Test
    void withoutAKeyEverySubmissionIsItsOwnTask() {
        assertThat(cli.submit("t", "{}")).isNotEqualTo(cli.submit("t", "{}"));
    }

    @Test
    void theInputComesFromAFileOrFromStandardInput() throws IOException {
        Path input = Files.writeString(directory.resolve("input.json"), "{\n  \"von\": \"Müller\"\n}\n");
        JsonNode fromFile = cli.show(cli.submit("t", "@" + input));
        assertThat(fromFile.path("input").path("von").asString()).isEqualTo("Müller");
        String id = cli.runWith("[1,2]", "submit", "t", "-", "--json")
                .exits(0)
                .json()
                .path("task_id")
                .asString();
        assertThat(cli.show(id).path("input").toString()).isEqualTo("[1,2]");
    }

    @Test
    void everyOptionReachesTheTask() {
        String id = cli.submit(
                "t",
                "{}",
                "--key",
                "k",
                "--scope",
                "custom:mine",
                "--queue",
                "q",
                "--tenant",
                "acme",
                "--priority",
                "7",
                "--timeout",
                "90s",
                "--max-attempts",
                "2",
                "--delay",
                "1h",
                "--ttl",
                "3d");
        JsonNode task = cli.show(id);
        assertThat(task.path("scope").asString()).isEqualTo("custom:mine");
        assertThat(task.path("queue").asString()).isEqualTo("q");
        assertThat(task.path("tenant").asString()).isEqualTo("acme");
        assertThat(task.path("priority").asInt()).isEqualTo(7);
        assertThat(task.path("timeout").asString()).isEqualTo("90s");
        assertThat(task.path("retry").asString()).startsWith("2 ");
        assertThat(Instant.parse(task.path("due_at").asString()))
                .isEqualTo(Instant.parse(task.path("created_at").asString()).plusSeconds(3600));
        String at = cli.submit("t", "{}", "--run-at", "2100-01-31T10:00:00+01:00");
        assertThat(cli.show(at).path("due_at").asString()).isEqualTo("2100-01-31T09:00:00Z");
    }

    @Test
    void aResultThatIsWaitedForIsPartOfTheAnswer() throws InterruptedException {
        Thread worker = Thread.ofPlatform().start(() -> {
            String id = "";
            while (id.isEmpty()) {
                Cli.Ran list = cli.run("task", "list", "--json");
                id = list.code() == 0
                        ? list.json().path("tasks").path(0).path("task_id").asString("")
                        : "";
            }
            cli.run("worker", "default", "--exec", "cat", "--once");
        });
        JsonNode answer = submit(0, "t", "{\"n\":1}", "--key", "k", "--wait", "30s");
        worker.join();
        assertThat(answer.path("state").asString()).isEqualTo("completed");
        assertThat(answer.path("result").toString()).isEqualTo("{\"n\":1}");
        assertThat(cli.run("submit", "t", "{\"n\":1}", "--key", "k", "--wait", "1s")
                        .exits(0)
                        .out())
                .endsWith("{\"n\":1}\n");
    }

    @Test
    void aMissingResultIsAFailureButTheSubmissionIsReported() {
        JsonNode answer = submit(1, "t", "{}", "--key", "k", "--wait", "10ms");
        assertThat(answer.path("error").asString()).isEqualTo("ResultNotReady");
        assertThat(answer.path("created").asBoolean()).isTrue();
        cli.run("worker", "default", "--exec", "echo no money >&2; exit 65", "--once")
                .exits(0);
        JsonNode failed = submit(1, "t", "{}", "--key", "k", "--reuse", "never", "--wait", "1s");
        assertThat(failed.path("error").asString()).isEqualTo("TaskUnsuccessful");
        assertThat(failed.path("state").asString()).isEqualTo("failed");
        assertThat(failed.path("last_error").asString()).startsWith("no money");
    }

    @Test
    void aStoreThatDoesNotAnswerIsNotWaitedForWithoutALimit() throws SQLException, InterruptedException {
        cli.submit("t", "{}");
        try (Connection holder = DriverManager.getConnection("jdbc:sqlite:" + cli.file());
                Statement statement = holder.createStatement()) {
            statement.execute("BEGIN IMMEDIATE");
            // A process of its own: the submission that is no longer waited for ends with it, and leaves no files
            // behind.
            try (Child late = Child.semel(
                    directory,
                    "submit",
                    "t",
                    "{}",
                    "--key",
                    "k",
                    "--send-limit",
                    "300ms",
                    "--json",
                    "--store",
                    cli.url())) {
                assertThat(late.exitCode()).as(late.out()).isEqualTo(6);
                assertThat(late.out()).contains("did not answer within 300 ms", "same key");
            }
            statement.execute("ROLLBACK");
        }
        assertThat(cli.run("submit", "t", "{}", "--send-limit", "0").exits(2).err())
                .contains("A send limit is at least a millisecond");
    }
}
