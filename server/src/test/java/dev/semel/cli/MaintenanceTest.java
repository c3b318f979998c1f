package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.jdbc.SqliteSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
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
    }
}
