package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class ConfigurationTest {

    @TempDir
    Path directory;

    private Cli cli;
    private Path config;

    @BeforeEach
    void makeCli() {
        cli = new Cli(directory);
        config = directory.resolve("other.toml");
    }

    private void configure(String text) throws IOException {
        Files.writeString(config, text);
    }

    private JsonNode submit(int code, String... arguments) {
        List<String> all = new ArrayList<>(List.of("submit"));
        all.addAll(List.of(arguments));
        all.addAll(List.of("--config", config.toString()));
        return cli.json(code, all.toArray(String[]::new));
    }

    private static String id(JsonNode answer) {
        return answer.path("task_id").asString();
    }

    @Test
    void aTypesStrategyWorksFromTheShell() throws IOException {
        configure("""
                [tasks.charge]
                identity = "caller_provided"
                [tasks.index]
                identity = "strict"
                ignore_fields = ["/trace"]
                [tasks.report]
                identity = "contextual"
                identity_fields = ["/customer"]
                """);
        JsonNode refused = submit(2, "charge", "{}");
        assertThat(refused.path("error").asString()).isEqualTo("InvalidInput");
        assertThat(submit(0, "charge", "{}", "--key", "k").path("created").asBoolean())
                .isTrue();

        JsonNode first = submit(0, "index", "{\"a\":1,\"trace\":1}");
        assertThat(submit(0, "index", "{\"trace\":2,\"a\":1.0}").path("task_id"))
                .isEqualTo(first.path("task_id"));
        assertThat(submit(0, "index", "{\"a\":2}").path("task_id")).isNotEqualTo(first.path("task_id"));

        JsonNode report = submit(0, "report", "{\"customer\":1,\"month\":1}");
        assertThat(submit(0, "report", "{\"customer\":1,\"month\":2}").path("task_id"))
                .isEqualTo(report.path("task_id"));
        submit(2, "report", "{\"month\":2}");
        // a given key overrides everything
        assertThat(submit(0, "report", "{\"customer\":1}", "--key", "mine")
                        .path("created")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void whatTheTypeSaysHoldsUnlessAFlagSaysOtherwise() throws IOException {
        configure("""
                [tasks.charge]
                queue = "payments"
                scope = "custom:money"
                reuse = "never, open=reject"
                priority = 7
                timeout = "30s"
                max_attempts = 2
                """);
        String id = id(submit(0, "charge", "{}", "--key", "k"));
        JsonNode task = cli.show(id);
        assertThat(task.path("queue").asString()).isEqualTo("payments");
        assertThat(task.path("scope").asString()).isEqualTo("custom:money");
        assertThat(task.path("priority").asInt()).isEqualTo(7);
        assertThat(task.path("timeout").asString()).isEqualTo("30s");
        assertThat(task.path("retry").asString()).startsWith("2 ");
        assertThat(submit(4, "charge", "{}", "--key", "k").path("error").asString())
                .isEqualTo("TaskAlreadyExists");
        assertThat(submit(0, "charge", "{}", "--key", "k", "--reuse", "never").path("task_id"))
                .isEqualTo(task.path("task_id"));

        JsonNode other = cli.show(
                id(submit(0, "charge", "{}", "--key", "k", "--scope", "type", "--queue", "q", "--priority", "0")));
        assertThat(other.path("queue").asString()).isEqualTo("q");
        assertThat(other.path("scope").asString()).isEqualTo("type");
        assertThat(other.path("priority").asInt()).isZero();
        assertThat(cli.run("submit", "charge", "{}", "--config", config.toString())
                        .exits(0)
                        .out())
                .contains("in queue \"payments\"");
    }

    @Test
    void submissionWinsOverTypeAndTypeOverQueueAndQueueOverInstance() throws IOException {
        configure("[defaults]\nreuse = \"never\"\n");
        submit(0, "t", "{}", "--key", "k");
        assertThat(submit(0, "t", "{}", "--key", "k").path("created").asBoolean())
                .isFalse();
        configure("[defaults]\nreuse = \"never\"\n[queues.default]\nreuse = \"never, open=reject\"\n");
        submit(4, "t", "{}", "--key", "k");
        configure("[queues.default]\nreuse = \"never, open=reject\"\n[tasks.t]\nreuse = \"never\"\n");
        assertThat(submit(0, "t", "{}", "--key", "k").path("created").asBoolean())
                .isFalse();
        submit(4, "t", "{}", "--key", "k", "--reuse", "reject");
        // settings made at run time override declared settings of the same queue
        configure("[queues.default]\nreuse = \"never, open=reject\"\n");
        cli.run("queue", "set", "default", "--reuse", "never").exits(0);
        assertThat(submit(0, "t", "{}", "--key", "k").path("created").asBoolean())
                .isFalse();
        cli.run("queue", "reset", "default").exits(0);
        submit(4, "t", "{}", "--key", "k");
    }

    @Test
    void theStoreComesFromTheFlagTheEnvironmentOrTheConfiguration() throws IOException {
        configure("store = \"sqlite:" + directory.resolve("configured.db") + "\"\n");
        Map<String, String> environment = Map.of("SEMEL_CONFIG", config.toString());
        Cli.bare("", environment, "submit", "t", "{}").exits(0);
        assertThat(directory.resolve("configured.db")).exists();
        Map<String, String> both = Map.of(
                "SEMEL_CONFIG", config.toString(), "SEMEL_STORE", "sqlite:" + directory.resolve("environment.db"));
        Cli.bare("", both, "submit", "t", "{}").exits(0);
        assertThat(directory.resolve("environment.db")).exists();
        Cli.bare("", both, "submit", "t", "{}", "--store", cli.url()).exits(0);
        assertThat(cli.file()).exists();
        configure("store = \"redis://x\"\n");
        assertThat(Cli.bare("", environment, "task", "list").exits(2).err()).contains("\"redis\"");
    }

    @Test
    void theTenantComesFromTheFlagOrTheEnvironment() {
        Map<String, String> environment = Map.of("SEMEL_TENANT", "acme");
        String id = id(Cli.bare("", environment, "submit", "t", "{}", "--store", cli.url(), "--json")
                .exits(0)
                .json());
        assertThat(cli.show(id).path("tenant").asString()).isEqualTo("acme");
        String other =
                id(Cli.bare("", environment, "submit", "t", "{}", "--store", cli.url(), "--tenant", "other", "--json")
                        .exits(0)
                        .json());
        assertThat(cli.show(other).path("tenant").asString()).isEqualTo("other");
        Cli.bare("", environment, "task", "show", other, "--store", cli.url()).exits(5);
        // a worker takes the tasks of all tenants, whatever the environment says
        Cli.bare("", environment, "worker", "default", "--exec", "true", "--once", "--store", cli.url())
                .exits(0);
        assertThat(cli.show(other).path("state").asString()).isEqualTo("completed");
    }

    @Test
    void aNamedConfigurationMustBeThere() {
        assertThat(cli.run("submit", "t", "{}", "--config", config.toString())
                        .exits(2)
                        .err())
                .contains("other.toml\" does not exist");
        assertThat(Cli.bare("", Map.of("SEMEL_CONFIG", "/nowhere/x.toml"), "task", "list")
                        .exits(2)
                        .err())
                .contains("/nowhere/x.toml");
        assertThat(cli.run("submit", "t", "{}", "--config", directory.toString())
                        .exits(2)
                        .err())
                .contains("is a directory");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aMistakeInItIsReportedBeforeAnythingIsStored() throws IOException {
        configure("[queues.payments]\nretenion = \"1d\"\n");
        for (String[] command : new String[][] {
            {"submit", "t", "{}"},
            {"worker", "q", "--exec", "true", "--once"},
            {"queue", "list"},
            {"queue", "pause", "q"},
            {"clean"},
            {"key", "show", "k", "--type", "t"},
            {"dead", "list"},
            {"task", "list"},
            {"task", "cancel", "--all", "--yes"}
        }) {
            List<String> all = new ArrayList<>(List.of(command));
            all.addAll(List.of("--config", config.toString()));
            assertThat(cli.run(all.toArray(String[]::new)).exits(2).err())
                    .startsWith("semel: Configuration file \"" + config + "\", line 2, queues.payments.retenion: ")
                    .contains("Did you mean \"retention\"?")
                    .doesNotContain("\tat ");
        }
        assertThat(cli.file()).doesNotExist();
        JsonNode json = submit(2, "t", "{}");
        assertThat(json.path("error").asString()).isEqualTo("InvalidInput");
        assertThat(json.path("message").asString()).contains("line 2");
    }

    @Test
    void queuesAreDeclaredBySubmittingAndWorkingButNotByLooking() throws IOException {
        cli.submit("t", "{}");
        configure("[queues.payments]\nrate_limit = \"100/sec\"\n[queues.other]\ndead_letter_queue = \"graveyard\"\n");
        cli.run("queue", "list", "--config", config.toString()).exits(0);
        cli.run("submit", "t", "{}", "--explain", "--config", config.toString()).exits(0);
        assertThat(cli.json("queue", "list").path("queues").size()).isEqualTo(1);
        submit(0, "t", "{}");
        JsonNode queues = cli.json("queue", "list").path("queues");
        assertThat(queues.valueStream().map(queue -> queue.path("queue").asString()))
                .containsExactly("default", "other", "payments");
        assertThat(queues.path(2).path("declared").path("rate_limit").asString())
                .isEqualTo("100/sec");
        assertThat(queues.path(2).path("set").size()).isZero();
    }

    @Test
    void theFileInTheWorkingDirectoryIsTakenIfItIsThere() throws IOException, InterruptedException {
        Files.writeString(
                directory.resolve("semel.toml"),
                "store = \"sqlite:here.db\"\n[tasks.charge]\nidentity = \"strict\"\nqueue = \"payments\"\n");
        List<JsonNode> answers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            try (Child child = Child.semel(directory, "submit", "charge", "{\"a\":1}", "--json")) {
                assertThat(child.exitCode()).as(child.out()).isZero();
                answers.add(Cli.MAPPER.readTree(child.out()));
            }
        }
        assertThat(answers.get(1).path("created").asBoolean()).isFalse();
        assertThat(answers.get(1).path("task_id")).isEqualTo(answers.get(0).path("task_id"));
        assertThat(directory.resolve("here.db")).exists();
        Files.writeString(directory.resolve("semel.toml"), "stor = \"x\"\n");
        try (Child child = Child.semel(directory, "task", "list", "--json")) {
            assertThat(child.exitCode()).isEqualTo(2);
            assertThat(child.out()).contains("semel.toml", "line 1, stor", "Did you mean");
        }
    }

    @Test
    void theExampleOnThePageIsRead() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "reference", "settings.md"));
        String begin = "```toml\n";
        int from = page.indexOf(begin) + begin.length();
        configure(page.substring(from, page.indexOf("```", from)));
        String id = id(submit(0, "charge_customer", "{}", "--key", "k"));
        assertThat(cli.show(id).path("scope").asString()).isEqualTo("queue");
        assertThat(cli.json("queue", "list").toString()).contains("\"rate_limit\":\"100/sec\",\"concurrency\":20");
    }
}
