package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.guard.Guard;
import dev.semel.guard.GuardStore;
import dev.semel.postgresql.PostgresGuardStore;
import dev.semel.postgresql.PostgresSchema;
import dev.semel.postgresql.PostgresSettings;
import dev.semel.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;
import tools.jackson.databind.JsonNode;

/** The command line on a PostgreSQL store. */
@Timeout(120)
class PostgresStoreTest {

    private PGSimpleDataSource source;
    private String url;

    @BeforeEach
    void database() {
        source = PostgresServer.freshDatabase();
        url = "postgresql://postgres:secret@127.0.0.1:" + source.getPortNumbers()[0] + "/" + source.getDatabaseName();
    }

    @Test
    void aStoreIsMigratedSubmittedToLookedAtAndOperatedOn() {
        run("task", "list").exits(ExitCode.STORE_UNAVAILABLE);
        JsonNode migrated = run("migrate").exits(ExitCode.DONE).json();
        assertThat(migrated.get("from").asInt()).isZero();
        assertThat(migrated.get("to").asInt()).isEqualTo(PostgresSchema.VERSION);
        assertThat(migrated.get("store").asString()).doesNotContain("secret");

        JsonNode first = run("submit", "charge", "{\"order\":1}", "--key", "k")
                .exits(ExitCode.DONE)
                .json();
        JsonNode second = run("submit", "charge", "{\"order\":1}", "--key", "k")
                .exits(ExitCode.DONE)
                .json();
        assertThat(second.get("task_id")).isEqualTo(first.get("task_id"));
        assertThat(second.get("created").asBoolean()).isFalse();
        run("submit", "charge", "{\"order\":2}", "--key", "k").exits(ExitCode.CONFLICT);

        String id = first.get("task_id").asString();
        assertThat(run("task", "show", id)
                        .exits(ExitCode.DONE)
                        .json()
                        .get("state")
                        .asString())
                .isEqualTo("pending");
        run("queue", "pause", "default").exits(ExitCode.DONE);
        run("task", "cancel", id).exits(ExitCode.DONE);
        assertThat(run("task", "show", id)
                        .exits(ExitCode.DONE)
                        .json()
                        .get("state")
                        .asString())
                .isEqualTo("cancelled");
        JsonNode report = run("doctor").exits(ExitCode.DONE).json();
        assertThat(report.get("checks")
                        .valueStream()
                        .map(check -> check.get("check").asString()))
                .contains(
                        "store opens",
                        "schema version",
                        "server",
                        "durability",
                        "synchronous commit",
                        "autovacuum",
                        "open transactions",
                        "submit, claim, complete");
    }

    @Test
    void aSchemaThatTheUrlNamesIsUsedByEveryCommandAndIsPartOfTheName() {
        String plain = url;
        url = plain + "?schema=jobs&password=secret";
        JsonNode migrated = run("migrate").exits(ExitCode.DONE).json();
        assertThat(migrated.get("store").asString()).endsWith("?schema=jobs").doesNotContain("secret");
        run("submit", "charge", "{}").exits(ExitCode.DONE);
        assertThat(run("task", "list").exits(ExitCode.DONE).json().get("tasks").size())
                .isEqualTo(1);
        assertThat(run("migrate", "--print")
                        .exits(ExitCode.DONE)
                        .json()
                        .get("sql")
                        .asString())
                .contains("CREATE TABLE jobs.task");
        url = plain;
        run("task", "list").exits(ExitCode.STORE_UNAVAILABLE);
    }

    @Test
    void theSchemaCanBePrinted() {
        assertThat(Cli.bare("", Map.of(), "migrate", "--print", "--store", url)
                        .exits(ExitCode.DONE)
                        .out())
                .contains("CREATE TABLE semel.task", "CREATE SCHEMA", "CREATE TABLE semel.guard (");
    }

    @Test
    void aMigrationCreatesTheTablesOfTheGuardForAUserWithTheDocumentedRights() throws SQLException {
        url += "?schema=jobs";
        run("migrate").exits(ExitCode.DONE);
        String role = "guarded_" + source.getDatabaseName();
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE ROLE " + role + " LOGIN");
            statement.execute("GRANT USAGE ON SCHEMA jobs TO " + role);
            statement.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA jobs TO " + role);
        }
        source.setUser(role);
        try (GuardStore store = PostgresGuardStore.on(
                        source, PostgresSettings.standard().withSchema("jobs").withMigration(false));
                Guard guard = Guard.on(store).build()) {
            assertThat(guard.once("k", String.class, token -> "1")).isEqualTo("1");
        }
    }

    @Test
    void aFailedConnectionIsReportedWithoutThePassword() {
        String nowhere = "postgresql://me:secret@127.0.0.1:1/nothing";
        Cli.Ran ran = Cli.bare("", Map.of(), "migrate", "--store", nowhere).exits(ExitCode.STORE_UNAVAILABLE);
        assertThat(ran.err()).contains("127.0.0.1:1/nothing").doesNotContain("secret");
    }

    @Test
    void aWorkerWhoMayOnlyReadEndsInsteadOfTryingForEver() throws SQLException {
        run("migrate").exits(ExitCode.DONE);
        run("submit", "charge", "{}").exits(ExitCode.DONE);
        String role = "reader_" + source.getDatabaseName();
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE ROLE " + role + " LOGIN");
            statement.execute("GRANT USAGE ON SCHEMA semel TO " + role);
            statement.execute("GRANT SELECT ON ALL TABLES IN SCHEMA semel TO " + role);
        }
        url = url.replace("postgres:secret@", role + "@");
        Cli.Ran ran = run("worker", "default", "--exec", "true", "--once").exits(ExitCode.STORE_UNAVAILABLE);
        assertThat(ran.out() + ran.err()).contains("42501").doesNotContain("\tat ");
    }

    private Cli.Ran run(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--store", url, "--json"));
        return Cli.bare("", Map.of(), all.toArray(String[]::new));
    }
}
