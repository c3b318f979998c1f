package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.sqlite.SqliteSchema;
import dev.semel.sqlite.SqliteSettings;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.store.ClaimRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class MaintenanceTest {

    @TempDir
    Path directory;

    private Cli cli;

    @BeforeEach
    void makeCli() {
        cli = new Cli(directory);
    }

    @Test
    void migratingSaysFromWhereToWhere() {
        JsonNode first = cli.run("migrate", "--json").exits(0).json();
        assertThat(first.path("from").asInt()).isZero();
        assertThat(first.path("to").asInt()).isEqualTo(SqliteSchema.VERSION);
        assertThat(cli.run("migrate").exits(0).out()).contains("nothing to do");
    }

    @Test
    void theSchemaIsPrintedWithoutAStore() {
        assertThat(cli.run("migrate", "--print").exits(0).out()).contains("CREATE TABLE semel_task");
        assertThat(cli.run("migrate", "--print", "--json")
                        .exits(0)
                        .json()
                        .path("sql")
                        .asString())
                .isEqualTo(SqliteSchema.print());
        assertThat(cli.file()).doesNotExist();
    }

    @Test
    void theDoctorFindsAHealthyStoreHealthyAndLeavesItAsItWas() {
        String id = cli.submit("t", "{}");
        JsonNode report = cli.run("doctor", "--json").exits(0).json();
        assertThat(report.path("ok").asBoolean()).isTrue();
        assertThat(report.path("checks")
                        .valueStream()
                        .map(check -> check.path("check").asString()))
                .contains(
                        "JDK",
                        "free disk space",
                        "schema version",
                        "journal mode",
                        "integrity",
                        "clock",
                        "submit, claim, complete");
        JsonNode tasks = cli.run("task", "list", "--json").exits(0).json().path("tasks");
        assertThat(tasks.valueStream().map(task -> task.path("task_id").asString()))
                .containsExactly(id);
        assertThat(cli.run("doctor").exits(0).out()).contains("ok    integrity: ok");
    }

    @Test
    void theDoctorChecksAPlaceWithoutAStoreAndLeavesNothing() {
        cli.run("doctor").exits(0);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void theDoctorFindsWhatIsWrongAndSaysWhatToDo() throws IOException {
        Files.writeString(cli.file(), "not a database at all, but a text that somebody keeps here".repeat(20));
        Cli.Ran ran = cli.run("doctor").exits(1);
        assertThat(ran.out()).contains("fail", "no SQLite database", "→");
        Cli.Ran nowhere = Cli.bare(
                        "", Map.of(), "doctor", "--json", "--store", "sqlite:" + directory.resolve("none/semel.db"))
                .exits(1);
        assertThat(nowhere.json().path("ok").asBoolean()).isFalse();
        assertThat(nowhere.json()
                        .path("checks")
                        .valueStream()
                        .filter(check -> check.path("check").asString().equals("store"))
                        .map(check -> check.path("verdict").asString()))
                .containsExactly("fail");
    }

    @Test
    void theDoctorWarnsOfAFileThatEveryUserOfTheMachineCanRead() throws IOException {
        cli.submit("t", "{}");
        assertThat(cli.run("doctor").exits(0).out()).contains("ok    file permissions: rw-------");
        Files.setPosixFilePermissions(cli.file(), PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(cli.run("doctor").exits(0).out())
                .contains(
                        "warn  file permissions: every user of this machine can use semel.db (rw-r--r--)",
                        "chmod o-rwx");
    }

    @Test
    void theDoctorFindsATimeThatAWrongClockHasMovedAheadAndSetsItBack() {
        String before = cli.submit("t", "{}");
        SqliteSettings ahead = SqliteSettings.standard().withClock(Clock.offset(Clock.systemUTC(), Duration.ofDays(1)));
        try (SqliteTaskStore store = SqliteTaskStore.open(cli.file(), ahead)) {
            assertThat(store.claim(new ClaimRequest(
                                    1, false, Set.of("default"), null, 10, 10, Duration.ofHours(1), "w"))
                            .tasks())
                    .hasSize(1);
            Cli.Ran atWork = cli.run("doctor", "--repair-time").exits(6);
            assertThat(atWork.err()).contains("other programs are at work on it", "Stop them");
        }
        String during = cli.submit("t", "{}");

        Cli.Ran found = cli.run("doctor").exits(1);
        assertThat(found.out())
                .contains("fail  file's time: ", " ahead of this machine's clock", "doctor --repair-time");

        JsonNode repaired =
                cli.run("doctor", "--repair-time", "--json").exits(0).json();
        assertThat(repaired.path("checks")
                        .valueStream()
                        .filter(check -> check.path("check").asString().equals("repair of the file's time"))
                        .map(check -> check.path("seen").asString()))
                .singleElement()
                .asString()
                .contains("set back from", "2 tasks moved");
        assertThat(cli.run("doctor", "--repair-time").exits(0).out())
                .contains("repair of the file's time: not needed", "ok    file's time: not ahead");
        // The task that was submitted at the wrong time is due now; the lease of the dead worker keeps its duration.
        cli.run("worker", "default", "--exec", "true", "--once").exits(0);
        assertThat(cli.json("task", "show", during).path("state").asString()).isEqualTo("completed");
        assertThat(cli.json("task", "show", before).path("state").asString()).isEqualTo("running");
    }

    @Test
    void theDoctorSaysThatCommitsAreMissing() throws IOException {
        cli.submit("t", "{}");
        Path old = Files.copy(cli.file(), directory.resolve("old.db"));
        cli.submit("t", "{}");
        Files.write(cli.file(), Files.readAllBytes(old));
        Cli.Ran ran = cli.run("doctor").exits(1);
        assertThat(ran.out()).contains("fail  store opens: ", "commits are missing", "semel.db-hint");
    }

    @Test
    void cleaningRemovesWhatHasOutlivedItsTimeAndSaysHowMuch() throws IOException {
        String done = cli.submit("t", "{}", "--key", "k", "--ttl", "1ms");
        cli.run("worker", "default", "--exec", "true", "--once").exits(0);
        String open = cli.submit("t", "{}", "--key", "open", "--ttl", "1ms");
        assertThat(cli.json("clean").path("tasks").asInt()).isZero();
        cli.json("task", "show", done);
        String config = Files.writeString(directory.resolve("c.toml"), "[cleaning]\nretention = \"1ms\"\n")
                .toString();
        JsonNode swept = cli.json("clean", "--config", config);
        assertThat(swept.propertyNames()).containsExactly("tasks", "records");
        assertThat(swept.path("tasks").asInt()).isEqualTo(1);
        cli.run("task", "show", done).exits(5);
        cli.run("task", "show", open).exits(0);
        assertThat(cli.run("clean", "--config", config).exits(0).out())
                .isEqualTo("Removed the data of 0 tasks, and 0 records.\n");
        cli.atTerminal("", "clean").exits(0);
        assertThat(cli.run("clean", "--tenant", "acme").exits(2).err()).contains("all tenants");
    }

    @Test
    void aTaskWhoseDataWentWithItsEndIsStillShown() {
        cli.run("queue", "set", "q", "--retention", "0", "--create").exits(0);
        String id = cli.submit("t", "{\"n\":1}", "--queue", "q", "--key", "k");
        cli.run("worker", "q", "--exec", "echo 1", "--once").exits(0);
        assertThat(cli.show(id).path("data_gone").asBoolean()).isTrue();
        assertThat(cli.show(id).has("input")).isFalse();
        assertThat(cli.run("task", "show", id).exits(0).out()).contains("completed", "no longer stored");
        assertThat(cli.json(5, "task", "result", id).path("error").asString()).isEqualTo("ResultGone");
        assertThat(cli.json("submit", "t", "{\"n\":1}", "--queue", "q", "--key", "k")
                        .path("state")
                        .asString())
                .isEqualTo("completed");
    }

    @Test
    void cleaningDoesNotCreateAStore() {
        cli.run("clean").exits(6);
        assertThat(directory).isEmptyDirectory();
    }
}
