package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
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

/** The demonstration on a given PostgreSQL database. */
@Timeout(600)
class DemoPostgresTest {

    private PGSimpleDataSource database;

    @BeforeEach
    void makeDatabase() {
        database = PostgresServer.freshDatabase();
    }

    @Test
    void everyPromiseHoldsAndNothingIsLeftBehind() throws SQLException {
        Cli.bare("", Map.of(), "submit", "mine", "{}", "--store", url("postgres"))
                .exits(0);
        List<String> before = schemas();
        Cli.Ran ran = Cli.bare("", Map.of(), "demo", "--json", "--store", url("postgres"))
                .exits(0);
        JsonNode json = ran.json();
        assertThat(json.path("ok").asBoolean()).isTrue();
        assertThat(json.path("promises").size()).isEqualTo(9);
        assertThat(json.path("promises")
                        .valueStream()
                        .map(promise -> promise.path("ok").asBoolean()))
                .containsOnly(true);
        assertThat(ran.out()).doesNotContain("secret");
        assertThat(schemas()).isEqualTo(before);
        JsonNode mine = Cli.bare("", Map.of(), "task", "list", "--json", "--store", url("postgres"))
                .exits(0)
                .json();
        assertThat(mine.path("tasks").size()).isEqualTo(1);
    }

    @Test
    void anUnreachableServerIsReportedAtOnceAndWithoutThePassword() {
        Cli.Ran ran = Cli.bare("", Map.of(), "demo", "--store", "postgresql://me:secret@127.0.0.1:1/nothing")
                .exits(ExitCode.STORE_UNAVAILABLE);
        assertThat(ran.err()).contains("127.0.0.1:1/nothing").doesNotContain("secret");
        assertThat(ran.out()).isEmpty();
    }

    @Test
    void missingRightsAreReported() throws SQLException {
        String reader = "reader_of_" + database.getDatabaseName();
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE ROLE " + reader + " LOGIN");
        }
        List<String> before = schemas();
        Cli.Ran ran = Cli.bare("", Map.of(), "demo", "--store", url(reader)).exits(ExitCode.STORE_UNAVAILABLE);
        assertThat(ran.err()).contains("42501", "rights").doesNotContain("secret");
        assertThat(schemas()).isEqualTo(before);
    }

    private String url(String user) {
        return "postgresql://" + user + ":secret@127.0.0.1:" + database.getPortNumbers()[0] + "/"
                + database.getDatabaseName();
    }

    private List<String> schemas() throws SQLException {
        List<String> names = new ArrayList<>();
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT nspname FROM pg_namespace ORDER BY nspname")) {
            while (row.next()) {
                names.add(row.getString(1));
            }
        }
        return names;
    }
}
