package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testservers.S3Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The command line on object storage. */
@Timeout(300)
class S3StoreTest {

    private static final String HOME = System.getProperty("user.home");

    private static S3Server server;

    private final String url = "s3://" + S3Server.BUCKET + "/cli-" + UUID.randomUUID() + "?endpoint="
            + server.endpoint() + "&profile=semel";

    /** Commands run in this process, whose environment is given, so the credentials are in a profile. */
    @BeforeAll
    static void start(@TempDir Path home) throws IOException {
        server = S3Server.start();
        Files.createDirectory(home.resolve(".aws"));
        Files.writeString(
                home.resolve(".aws/credentials"),
                "[semel]\naws_access_key_id=" + S3Server.ACCESS_KEY + "\naws_secret_access_key=" + S3Server.SECRET_KEY
                        + "\n");
        System.setProperty("user.home", home.toString());
    }

    @AfterAll
    static void stop() {
        System.setProperty("user.home", HOME);
        server.close();
    }

    private Cli.Ran run(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--store", url, "--json"));
        return Cli.bare("", Map.of(), all.toArray(String[]::new));
    }

    @Test
    void aTaskIsSubmittedOnceRunAndLookedAt() {
        JsonNode first =
                run("submit", "charge", "{\"order\":1}", "--key", "k").exits(0).json();
        JsonNode second =
                run("submit", "charge", "{\"order\":1}", "--key", "k").exits(0).json();
        assertThat(second.path("task_id")).isEqualTo(first.path("task_id"));
        assertThat(second.path("created").asBoolean()).isFalse();
        run("submit", "charge", "{\"order\":2}", "--key", "k").exits(ExitCode.CONFLICT);
        run("worker", first.path("queue").asString("default"), "--exec", "echo '{\"receipt\":17}'", "--once")
                .exits(0);
        String id = first.path("task_id").asString();
        JsonNode shown = run("task", "show", id).exits(0).json();
        assertThat(shown.path("state").asString()).isEqualTo("completed");
        assertThat(run("key", "show", "k", "--type", "charge").exits(0).out()).contains(id);
    }

    @Test
    void theDoctorTriesOutTheService() {
        run("task", "list").exits(ExitCode.STORE_UNAVAILABLE);
        assertThat(run("doctor").exits(0).json().toString()).contains("no tasks below the prefix yet");
        run("submit", "charge", "{}").exits(0);
        JsonNode report = run("doctor").exits(0).json();
        assertThat(report.path("ok").asBoolean()).isTrue();
        assertThat(report.toString())
                .contains("exactly one succeeded")
                .contains("submit, claim, complete")
                .doesNotContain(S3Server.SECRET_KEY);
    }

    @Test
    void wrongCredentialsAreReportedWithoutSecrets() {
        Cli.Ran ran = Cli.bare(
                "",
                Map.of(),
                "doctor",
                "--store",
                "s3://no-such-bucket/x?endpoint=" + server.endpoint() + "&profile=semel");
        ran.exits(ExitCode.FAILED);
        assertThat(ran.out()).contains("NoSuchBucket").doesNotContain(S3Server.SECRET_KEY);
        Cli.Ran refused = Cli.bare("", Map.of(), "task", "list", "--store", "s3://me:hunter2@bucket/x");
        refused.exits(ExitCode.BAD_INPUT);
        assertThat(refused.err()).doesNotContain("hunter2");
    }

    @Test
    void thereIsNoSchemaToUpgradeAndTheLifecyclePolicyMatchesTrialsOnly() {
        assertThat(run("migrate").code()).isNotZero();
        JsonNode rules = run("migrate", "--print").exits(0).json().path("Rules");
        assertThat(rules.size()).isEqualTo(1);
        assertThat(rules.get(0).path("Filter").path("Prefix").asString())
                .startsWith("cli-")
                .endsWith("/semel/probe/");
    }

    @Test
    void everyOtherCommandWorksToo() {
        String id = run("submit", "charge", "{}", "--queue", "q", "--key", "k", "--delay", "1h")
                .exits(0)
                .json()
                .path("task_id")
                .asString();
        run("task", "list").exits(0);
        run("task", "explain", id).exits(0);
        run("queue", "list").exits(0);
        run("queue", "pause", "q").exits(0);
        run("queue", "resume", "q").exits(0);
        run("queue", "set", "q", "--retention", "1d").exits(0);
        run("task", "cancel", id).exits(0);
        run("task", "result", id).exits(ExitCode.FAILED);
        run("key", "release", "k", "--type", "charge").exits(0);
        run("dead", "list").exits(0);
        run("effect", "list").exits(0);
        run("workflow", "list").exits(0);
        run("schedule", "add", "nightly", "--cron", "0 3 * * *", "--type", "charge", "--input", "{}")
                .exits(0);
        run("schedule", "list").exits(0);
        run("schedule", "remove", "nightly").exits(0);
        run("clean").exits(0);
    }
}
